import { accept, refuse, type Decision, type Instant } from './decision.ts';
import type { Grant, GrantEvent, GrantRevocationReason } from './grant.ts';

/** Ends a grant with everything issued under it. Ending it again, for whatever reason, changes nothing (RV-07). */
export function revokeGrant(
  grant: Grant,
  { reason, now }: { readonly reason: GrantRevocationReason; readonly now: Instant },
): Decision<GrantEvent, 'grant-unknown'> {
  if (grant.status === 'none') return refuse('grant-unknown');
  if (grant.status === 'revoked') return accept();
  return accept({ type: 'GrantRevoked', data: { reason, at: now } });
}

export type RevocationRefusal = 'token-unknown' | 'token-of-another-client';

/**
 * Ends a grant because its add-on gave back a refresh token: the current one or any before it (RV-05). How old the
 * token is does not matter: whoever wants the family to end may have nothing newer.
 */
export function revokeByAddon(
  grant: Grant,
  { addonId, rotation, now }: { readonly addonId: string; readonly rotation: number; readonly now: Instant },
): Decision<GrantEvent, RevocationRefusal> {
  if (grant.status === 'none' || grant.status === 'code-issued') return refuse('token-unknown');
  if (grant.terms.addonId !== addonId) return refuse('token-of-another-client');
  if (grant.status === 'live' && rotation > grant.current.rotation) return refuse('token-unknown');
  if (grant.status === 'revoked') return accept();
  return accept({ type: 'GrantRevoked', data: { reason: 'revoked-by-addon', at: now } });
}
