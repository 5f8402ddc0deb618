import { accept, type Decider, type Decision, type Instant, refuse } from '../kernel/decision.ts';
import type { Grant, GrantEvent } from './grant.ts';

/** The state of the access token of one rotation of a grant. */
export type AccessTokenState = 'none' | 'issued' | 'revoked';

/** Derived from the state of the grant, and from whether this one token was revoked. */
export const accessTokenOf = (
  grant: Grant,
  { rotation, isRevoked }: { readonly rotation: number; readonly isRevoked: boolean },
): AccessTokenState => {
  if (grant.status === 'revoked') return 'revoked';
  if (grant.status !== 'live' || rotation > grant.current.rotation) return 'none';
  return isRevoked ? 'revoked' : 'issued';
};

/** Folds the events that `revokeAccessToken` writes. */
export const accessTokenDecider = (rotation: number): Decider<AccessTokenState, GrantEvent> => ({
  initial: 'none',
  evolve: (token, event) =>
    event.type === 'AccessTokenRevoked' && event.data.rotation === rotation ? 'revoked' : token,
});

/** Ends one access token and nothing else (RV-05). Ending it again changes nothing (RV-07). */
export const revokeAccessToken = (
  token: AccessTokenState,
  { rotation, now }: { readonly rotation: number; readonly now: Instant },
): Decision<GrantEvent, 'token-unknown'> => {
  if (token === 'none') return refuse('token-unknown');
  if (token === 'revoked') return accept();
  return accept({ type: 'AccessTokenRevoked', data: { rotation, at: now } });
};
