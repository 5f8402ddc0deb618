import type { RefusalReason } from '../limits/refusal-reasons.ts';
import type { Explanation } from './problem-explanations.ts';

/** The endpoints of OAuth answer with the codes of RFC 6749; the exact reason is for logs, metrics and publishers. */
type Group = Explanation & { readonly reasons: readonly RefusalReason[] };

const why = (reasons: readonly RefusalReason[], means: string, remedy: string): Group => ({
  reasons,
  means,
  remedy,
});

const groups: readonly Group[] = [
  why(
    [
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
    'The request is wrong: a parameter is missing, repeated, malformed or not supported.',
    'Read `error_description`, which names it, and correct the request.',
  ),
  why(
    ['secret-in-query'],
    'The client secret was sent in the address, where servers and proxies record it.',
    'Add another secret, remove this one, and send secrets only in a header or the body.',
  ),
  why(
    [
      'client-unknown',
      'client-secret-missing',
      'client-secret-wrong',
      'client-secret-not-expected',
      'client-is-public',
    ],
    'The client authentication failed: the secret is missing, wrong or removed, or the add-on is registered as public and has none. It also counts here if somebody else used the client id.',
    'Compare the secrets of the add-on with the one that it sends.',
  ),
  why(
    ['grant-type-not-registered', 'scope-not-allowed', 'resource-not-allowed'],
    'The add-on asked for what it is not registered for.',
    'Ask for less, or let an operator change the registration.',
  ),
  why(
    ['redirect-uri-not-registered', 'redirect-uri-mismatch', 'redirect-uri-removed'],
    'The redirect URI is not one of those that are registered, or not the one that the code was requested with.',
    'Send exactly a registered one, or propose it as a change.',
  ),
  why(
    ['scope-removed', 'addon-retired'],
    'What was asked for was removed from the add-on, or the add-on was retired.',
    'Begin again with what it may still ask for.',
  ),
  why(
    ['code-unknown', 'code-of-another-client', 'verifier-mismatch', 'code-expired', 'code-already-redeemed'],
    'The code cannot be exchanged: it is unknown, another client’s, expired or used, or the `code_verifier` does not fit. A code that is used twice ends its grant.',
    'Exchange each code once, within a minute, and keep its verifier with it.',
  ),
  why(
    ['token-unknown', 'token-of-another-client', 'token-inactive'],
    'The token is none of this server’s, another client’s, or ended.',
    'Check that the whole token is sent, by the client that got it.',
  ),
  why(
    ['token-expired'],
    'The refresh token was not used for too long, or its grant is too old.',
    'Send the user to `/oauth/authorize` again.',
  ),
  why(
    ['token-reused'],
    'A refresh token that was already replaced was used once more, so its grant has ended. Two processes share it, or it was stolen.',
    'Store the newest refresh token before you use it, in one place for all processes.',
  ),
  why(
    ['grant-revoked', 'token-revoked', 'addon-deactivated', 'consent-withdrawn', 'account-disabled'],
    'The access has ended: by the add-on, the user, an administrator or an operator.',
    'Delete the tokens, and begin at `/oauth/authorize` if the user wants it.',
  ),
  why(
    ['addon-suspended', 'on-hold'],
    'An operator has suspended the add-on, or has to resolve an unreadable event of its grant.',
    'Keep the tokens and ask the operator: they may work again.',
  ),
  why(
    ['scope-too-wide', 'resource-not-granted'],
    'The request asks for more than the grant has.',
    'Ask for less, or send the user to `/oauth/authorize` for more.',
  ),
  why(
    ['rotated-too-often', 'too-many-requests', 'too-many-grants'],
    'The add-on sent more requests than its limit, or refreshed one grant too often. Nothing has ended.',
    'Wait for `Retry-After`, and refresh only when the access token has expired.',
  ),
  why(
    [
      'sign-in-needed',
      'consent-needed',
      'choice-needed',
      'nobody-to-act-for',
      'user-did-not-allow',
      'addon-not-active',
      'id-token-hint-unknown',
    ],
    'The user did not allow it, may not allow it for anybody, or would have to see a page although `prompt=none` was sent.',
    'Show the user what `error` says, and let them start again.',
  ),
  why(
    ['unavailable', 'not-trusted-yet', 'temporarily-unavailable', 'internal-error'],
    'A server was unavailable. Nothing has ended.',
    'Try again after the number of seconds in `Retry-After`.',
  ),
];

/** By the last part of their address, next to the problems: `refused-code-expired`. */
export const refusalPages = groups.flatMap(({ reasons, ...explanation }) =>
  reasons.map((reason) => ({ kind: `refused-${reason}`, title: reason, ...explanation })),
);

const explained: ReadonlySet<string> = new Set(refusalPages.map(({ title }) => title));

/** The address of the explanation, under `/problems`; null where there is none. */
export const refusalAddress = (baseUrl: string, reason: string): string | null =>
  explained.has(reason) ? `${baseUrl}/problems/refused-${reason}` : null;
