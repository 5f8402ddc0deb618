import { isNarrow, scopes, type Scope, withDetails, withoutDetails } from '../../domain/access/scope.ts';

/** `openid` is all that identifies a user, as before `profile` and `email`; `sub` is `openid` alone. A union is what both opened. */
export const storedScopes = (of: readonly Scope[]): readonly string[] =>
  isNarrow(of) ? of.map((scope) => (scope === 'openid' ? 'sub' : scope)) : withoutDetails(of);

/** Reverses `storedScopes`: each scope once, in the order of `scopes`. */
export const readScopes = (stored: readonly string[]): readonly Scope[] => {
  const there = new Set<string>(withDetails(stored as readonly Scope[]));
  return scopes.filter((scope) => there.has(scope) || (scope === 'openid' && there.has('sub')));
};

/** The column `identity`: null where `scopes` says it all. */
export const identityIn = (stored: readonly string[]): string | null => {
  const identity = stored.filter((scope) => !isKnownToOlder(scope));
  return identity.length === 0 ? null : JSON.stringify(identity);
};

/** The previous version reads the column `scopes`, and has no words for others. */
export const isKnownToOlder = (scope: string): boolean => !['sub', 'profile', 'email'].includes(scope);

/** SQL for a row's stored scopes, as a JSON array. In `grants`, `openid` stands for `identity` where that is not null. */
export const storedIn = (grants: string): string =>
  `(case when ${grants}.identity is null then ${grants}.scopes else ${grants}.scopes - 'openid' || ${grants}.identity end)`;
