import { accept, refuse, type Decider, type Decision, type Instant } from '../kernel/decision.ts';
import type { Grant, GrantEvent, GrantRevocationReason } from './grant.ts';

/** The state of a grant for commands that only end it. */
export type GrantEnd = { readonly status: 'none' | 'lasting' | 'revoked' };

export const grantEndDecider: Decider<GrantEnd, GrantEvent> = {
  initial: { status: 'none' },
  evolve: (grant, event) => {
    switch (event.type) {
      case 'AuthorizationCodeIssued':
        return { status: 'lasting' };
      case 'GrantRevoked':
        return { status: 'revoked' };
      case 'AuthorizationCodeRedeemed':
      case 'CodeExchangeRejected':
      case 'AuthorizationCodeReplayed':
      case 'TokensRefreshed':
      case 'TokensWithheld':
      case 'RefreshRejected':
      case 'RefreshTokenReused':
      case 'AccessTokenRevoked':
        return grant;
    }
  },
};

/** Ends a grant with everything issued under it. Ending it again, for whatever reason, changes nothing (RV-07). */
export function revokeGrant(
  grant: Pick<Grant, 'status'> | GrantEnd,
  { reason, now }: { readonly reason: GrantRevocationReason; readonly now: Instant },
): Decision<GrantEvent, 'grant-unknown'> {
  if (grant.status === 'none') return refuse('grant-unknown');
  if (grant.status === 'revoked') return accept();
  return accept({ type: 'GrantRevoked', data: { reason, at: now } });
}

export type RevocationRefusal = 'token-unknown' | 'token-of-another-client';

/** Ends a grant because its add-on revoked a refresh token of it, of any age: it may have nothing newer (RV-05). */
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
