import type { Instant } from '../../../domain/kernel/decision.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import { emailProblem, normaliseEmail } from '../../../domain/people/email.ts';
import { asksWho, parsePrompt, type Prompt } from '../../../domain/access/prompt.ts';
import { parseScope, type Scope } from '../../../domain/access/scope.ts';
import { readSelector } from '../../../domain/organizations/organization-selector.ts';
import { isRepeated, one, only, type Params } from '../../requests/params.ts';
import type { RefusalReason } from '../../limits/refusal-reasons.ts';
import type {
  AuthorizationError,
  AuthorizationRequest,
  ReturnAddress,
  SubjectSelection,
} from './authorization-request.ts';
import { authorizeChecks, type Finding, type IdTokenHint } from './authorize-checks.ts';

export type CheckedAuthorization =
  | { readonly kind: 'page'; readonly description: string; readonly reason: RefusalReason }
  | {
      readonly kind: 'redirect';
      readonly error: AuthorizationError;
      readonly description: string;
      readonly reason: RefusalReason;
      readonly address: ReturnAddress;
    }
  | { readonly kind: 'valid'; readonly request: AuthorizationRequest; readonly addon: Addon };

/** Runs the checks in order; answers with the first finding, or with the checked request. */
export const checkAuthorization = (
  params: Params,
  addon: Addon | null,
  now: Instant,
  hint: IdTokenHint | null = null,
  baseUrl = '',
): CheckedAuthorization => {
  for (const { to, find } of authorizeChecks) {
    const finding = find({ params, addon, hint, baseUrl });
    if (finding) return to === 'page' ? page(finding) : redirect(finding, params);
  }
  if (!addon)
    return page({
      error: 'invalid_request',
      description: 'client_id is missing',
      reason: 'client-id-missing',
    });
  return { kind: 'valid', request: requestOf(params, addon, now, hint), addon };
};

const page = ({ description, reason }: Finding): CheckedAuthorization => ({
  kind: 'page',
  description,
  reason,
});

const redirect = ({ error, description, reason, by }: Finding, params: Params): CheckedAuthorization => ({
  kind: 'redirect',
  error,
  description,
  reason,
  address: {
    redirectUri: one(params, 'redirect_uri') ?? '',
    state: returnableState(params),
    by: by ?? 'query',
  },
});

/** Undefined for a state that was repeated, is unreadable or far too long, because it cannot be returned unmodified. */
const returnableState = (params: Params): string | undefined => {
  const state = one(params, 'state');
  return isRepeated(params, 'state') || state?.includes('\uFFFD') || (state?.length ?? 0) > 4096
    ? undefined
    : state;
};

const requestOf = (
  params: Params,
  addon: Addon,
  now: Instant,
  hint: IdTokenHint | null,
): AuthorizationRequest => {
  const prompt = [...(parsePrompt(one(params, 'prompt') ?? '') ?? [])];
  return {
    clientId: addon.addonId,
    redirectUri: one(params, 'redirect_uri') ?? '',
    state: one(params, 'state') ?? '',
    scopes: scopesOf(one(params, 'scope'), addon),
    codeChallenge: one(params, 'code_challenge') ?? '',
    prompt,
    mustSignIn: asksWho(prompt) || prompt.includes('login') || isZero(one(params, 'max_age')),
    signedInSince: signedInSince(prompt, one(params, 'max_age'), now),
    hintedUserId: hint?.userId ?? null,
    loginHint: addressIn(one(params, 'login_hint')),
    passedOn: passedOnIn(params),
    select: selectionIn(params),
    nonce: one(params, 'nonce') ?? null,
    resources: (params.get('resource') ?? []).filter((resource) => resource !== ''),
  };
};

/**
 * Unknown scopes are ignored (AZ-16). Without `scope` the add-on gets the scopes that it is registered for, except
 * those that reveal who the user is: they must be asked for by name (RFC 6749 §3.3, AC-05).
 */
const scopesOf = (sent: string | undefined, { allowedScopes }: Addon): readonly Scope[] => {
  if (sent === undefined) return allowedScopes.filter((scope) => scope !== 'openid');
  const parsed = parseScope(sent, allowedScopes);
  return parsed.ok ? parsed.scopes : [];
};

const selectionIn = (params: Params): SubjectSelection | null => {
  const [kind, named] = [one(params, 'subject'), one(params, 'organization')];
  if (kind === 'user') return { kind };
  if (named === undefined && kind === undefined) return null;
  return { kind: 'organization', which: named === undefined ? null : readSelector(named) };
};

/** A hint that is no e-mail address, such as a telephone number, is ignored: the user would only have to delete it. */
const addressIn = (hint: string | undefined): string | null =>
  hint !== undefined && emailProblem(normaliseEmail(hint)) === null ? hint.trim() : null;

/** Longer ones are for nobody, and would make the address too long for the provider. */
const longestPassedOn = 500;

const passedOnIn = (params: Params): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['max_age', 'login_hint', 'ui_locales', 'acr_values'].flatMap((name) => {
      const value = only(params, name);
      return value === undefined || value.length > longestPassedOn || value.includes('\uFFFD')
        ? []
        : [[name, value]];
    }),
  );

const isZero = (maxAge: string | undefined): boolean => maxAge !== undefined && Number(maxAge) === 0;

const signedInSince = (
  prompt: readonly Prompt[],
  maxAge: string | undefined,
  now: Instant,
): Instant | null => {
  if (prompt.includes('login')) return now;
  return maxAge === undefined ? null : Math.max(0, now - Number(maxAge) * 1000);
};
