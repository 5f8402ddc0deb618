import { recordResources, type RecordResource } from './record-resources.ts';

export type Scope = 'openid' | RecordResource['scope'];
/** The scopes that exist. `openid` identifies the user; the others open one list each (LI-09). */
export const scopes: readonly Scope[] = ['openid', ...recordResources.map(({ scope }) => scope)];

export const isScope = (value: string): value is Scope => (scopes as readonly string[]).includes(value);

export type ScopeRefusal = 'bad-syntax' | 'not-allowed';

export type ParsedScope =
  | { readonly ok: true; readonly scopes: readonly Scope[] }
  | { readonly ok: false; readonly refusal: ScopeRefusal };

const scopeGrammar = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** Whether the text is a list of `scope-token`s with one space between each two, or empty (RFC 6749 §3.3). */
export const isScopeList = (text: string): boolean => text === '' || scopeGrammar.test(text);

/**
 * Reads a `scope` parameter against the allowed scopes (AZ-16). Unknown values are ignored; a known one that is not
 * allowed refuses the whole request. The result has no repetitions and the order of `scopes`.
 */
export const parseScope = (text: string, allowed: readonly Scope[]): ParsedScope => {
  if (!isScopeList(text)) return { ok: false, refusal: 'bad-syntax' };
  const asked = new Set(text.split(' '));
  const known = scopes.filter((scope) => asked.has(scope));
  return isWithin(known, allowed) ? { ok: true, scopes: known } : { ok: false, refusal: 'not-allowed' };
};

/** Whether every one of `inner` is also in `outer`. */
export const isWithin = (inner: readonly Scope[], outer: readonly Scope[]): boolean =>
  inner.every((scope) => outer.includes(scope));
