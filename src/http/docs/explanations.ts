import type { Words } from '../../common/words.ts';
import { activationsADay } from '../../domain/organizations/activation.ts';
import { problemKinds, type ProblemKind } from '../answers/problems.ts';
import type { RefusalReason } from '../limits/refusal-reasons.ts';

/** What a problem means, and what the caller does about it. Code stands in backticks. */
export type Explanation = {
  /** The last part of its address under `/problems`. */
  readonly name: string;
  readonly title: string;
  /** Of a problem: the status, and the title in answers, which are in English. */
  readonly inAnswers: { readonly status: number; readonly title: string } | null;
  readonly means: string;
  readonly remedy: string;
};

type Texts = {
  readonly title: string;
  readonly means: string | ((activationsADay: number) => string);
  readonly remedy: string;
};

/** The type requires texts for every problem. */
const ofProblems = ({ explanations }: Words): Readonly<Record<ProblemKind, Texts>> => explanations.problems;

export const problemsIn = (words: Words): readonly Explanation[] =>
  Object.entries(problemKinds).map(([name, inAnswers]) => {
    const { title, means, remedy } = ofProblems(words)[name as ProblemKind];
    return {
      name,
      title,
      inAnswers,
      means: typeof means === 'string' ? means : means(activationsADay),
      remedy,
    };
  });

/** The endpoints of OAuth answer with the codes of RFC 6749; the exact reason is for logs, metrics and publishers. */
const reasons: Readonly<Record<keyof Words['explanations']['refusals'], readonly RefusalReason[]>> = {
  wrongRequest: [
    'parameter-missing',
    'parameter-repeated',
    'parameter-too-long',
    'parameter-not-supported',
    'grant-type-not-supported',
    'verifier-missing',
    'scope-malformed',
    'resource-malformed',
    'client-authentication-malformed',
    'client-authenticated-twice',
    'client-ids-differ',
    'client-id-missing',
    'redirect-uri-missing',
    'response-type-not-supported',
    'response-mode-not-supported',
    'state-missing',
    'pkce-missing',
    'pkce-malformed',
    'prompt-not-supported',
    'max-age-malformed',
    'organization-malformed',
    'subject-malformed',
    'form-incomplete',
    'malformed-request',
    'too-large',
    'unsupported-media-type',
    'method-not-allowed',
  ],
  secretInAddress: ['secret-in-query'],
  clientAuthentication: [
    'client-unknown',
    'client-secret-missing',
    'client-secret-wrong',
    'client-secret-not-expected',
    'client-is-public',
  ],
  notRegistered: ['grant-type-not-registered', 'scope-not-allowed', 'resource-not-allowed'],
  redirectUri: ['redirect-uri-not-registered', 'redirect-uri-mismatch', 'redirect-uri-removed'],
  removed: ['scope-removed', 'addon-retired'],
  code: [
    'code-unknown',
    'code-of-another-client',
    'verifier-mismatch',
    'code-expired',
    'code-already-redeemed',
  ],
  token: ['token-unknown', 'token-of-another-client', 'token-inactive'],
  tokenExpired: ['token-expired'],
  tokenReused: ['token-reused'],
  accessEnded: [
    'grant-revoked',
    'token-revoked',
    'addon-deactivated',
    'consent-withdrawn',
    'account-disabled',
  ],
  suspended: ['addon-suspended', 'on-hold'],
  moreThanGranted: ['scope-too-wide', 'resource-not-granted'],
  tooOften: ['rotated-too-often', 'too-many-requests', 'too-many-grants'],
  notAllowed: [
    'sign-in-needed',
    'consent-needed',
    'choice-needed',
    'nobody-to-act-for',
    'user-did-not-allow',
    'addon-not-active',
    'id-token-hint-unknown',
  ],
  unavailable: ['unavailable', 'not-trusted-yet', 'temporarily-unavailable', 'internal-error'],
};

/** Why OAuth's endpoints refused; reasons that mean the same are together. */
export const refusalsIn = ({ explanations }: Words): readonly (readonly Explanation[])[] =>
  Object.entries(explanations.refusals).map(([group, texts]) =>
    reasons[group as keyof typeof reasons].map((title) => ({
      name: `refused-${title}`,
      title,
      inAnswers: null,
      ...texts,
    })),
  );

const explained: ReadonlySet<string> = new Set(Object.values(reasons).flat());

const ofOAuth: ReadonlySet<string> = new Set(['token', 'authorize', 'revoke', 'introspect']);

/** The address of the explanation, under `/problems`; null where there is none. Others than OAuth's endpoints answer with problems. */
export const explanationOf = (baseUrl: string, endpoint: string, reason: string): string | null => {
  if (!ofOAuth.has(endpoint) && reason in problemKinds) return `${baseUrl}/problems/${reason}`;
  return explained.has(reason) ? `${baseUrl}/problems/refused-${reason}` : null;
};
