import { recordResources, type RecordResource } from '../records/record-resources.ts';

/** A scope that an add-on is registered for. `openid` allows it to ask for `profile` and `email`, too. */
export type AllowedScope = 'openid' | RecordResource['scope'];
/**
 * `openid` identifies the user, and with it `profile` opens the name and `email` the e-mail address (OpenID Connect Core
 * §5.4); the others open one list each (LI-09).
 */
export type Scope = AllowedScope | 'profile' | 'email';

const recordScopes = recordResources.map(({ scope }) => scope);

const identityScopes = ['openid', 'profile', 'email'] as const satisfies readonly Scope[];
export const allowableScopes: readonly AllowedScope[] = ['openid', ...recordScopes];
export const scopes: readonly Scope[] = [...identityScopes, ...recordScopes];

export const isIdentityScope = (scope: string): boolean =>
  (identityScopes as readonly string[]).includes(scope);

/** What an add-on may ask for that is registered for these (FX-24). */
export const askableWith = (allowed: readonly AllowedScope[]): readonly Scope[] =>
  allowed.flatMap((scope): readonly Scope[] => (scope === 'openid' ? identityScopes : [scope]));

export const opensRecords = (of: readonly Scope[]): boolean => !of.every(isIdentityScope);

/** Without `openid`, `profile` and `email` open nothing, and count as unknown. */
export const meaningful = (of: readonly Scope[]): readonly Scope[] =>
  of.includes('openid') ? of : of.filter((scope) => !isIdentityScope(scope));

/** The scopes among these texts, each once, in the order of `scopes`. */
export const scopesAmong = (texts: readonly string[]): readonly Scope[] =>
  scopes.filter((scope) => texts.includes(scope));

export const isScope = (value: string): value is Scope => (scopes as readonly string[]).includes(value);

export type ScopeRefusal = 'bad-syntax' | 'not-allowed';

export type ParsedScope =
  | { readonly ok: true; readonly scopes: readonly Scope[] }
  | { readonly ok: false; readonly refusal: ScopeRefusal };

const scopeGrammar = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** Whether the text is a list of `scope-token`s with one space between each two, or empty (RFC 6749 §3.3). */
export const isScopeList = (text: string): boolean => text === '' || scopeGrammar.test(text);

/** Reads a `scope` parameter (AZ-16): unknown values are ignored, a known one that is not allowed refuses. In the order of `scopes`. */
export const parseScope = (text: string, allowed: readonly AllowedScope[]): ParsedScope => {
  if (!isScopeList(text)) return { ok: false, refusal: 'bad-syntax' };
  const known = meaningful(scopesAmong(text.split(' ')));
  return isWithin(known, askableWith(allowed))
    ? { ok: true, scopes: known }
    : { ok: false, refusal: 'not-allowed' };
};

export const isWithin = (inner: readonly Scope[], outer: readonly Scope[]): boolean =>
  inner.every((scope) => outer.includes(scope));
