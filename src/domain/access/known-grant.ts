import type { Grant } from './grant.ts';

/** How far a grant has come, as a credential proves it or a read model holds it. */
export type KnownGrant = { readonly status: 'issued' | 'redeemed' | 'ended'; readonly rotation: number };

const stages = { none: -1, 'code-issued': 0, live: 1, revoked: 2, issued: 0, redeemed: 1, ended: 2 } as const;

/** Whether the log shows less of a grant than is known: then nothing may be concluded from it. */
export const lacks = (grant: Grant, known: KnownGrant): boolean =>
  stages[grant.status] < stages[known.status] ||
  (grant.status === 'live' && grant.current.rotation < known.rotation);
