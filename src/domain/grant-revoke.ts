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
