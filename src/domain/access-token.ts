import { accept, type Decider, type Decision, type Instant, refuse } from './decision.ts';
import type { GrantEvent } from './grant.ts';

/** What a grant's stream says about the access token of one of its rotations. */
export type AccessTokenState = {
  /** The grant's. */
  readonly resources: readonly string[];
} & (
  | { readonly status: 'none' }
  | { readonly status: 'issued'; readonly issuedAt: Instant }
  | { readonly status: 'revoked' }
);

/** A grant's stream folded for one rotation, however many there are. */
export const accessTokenDecider = (rotation: number): Decider<AccessTokenState, GrantEvent> => ({
  initial: { status: 'none', resources: [] },
  evolve: (token, event) => {
    const { resources } = token;
    switch (event.type) {
      case 'AuthorizationCodeRedeemed':
        return rotation === 0 ? { status: 'issued', issuedAt: event.data.at, resources } : token;
      case 'TokensRefreshed':
        return event.data.rotation === rotation
          ? { status: 'issued', issuedAt: event.data.at, resources }
          : token;
      case 'AccessTokenRevoked':
        return event.data.rotation === rotation ? { status: 'revoked', resources } : token;
      case 'GrantRevoked':
        return token.status === 'none' ? token : { status: 'revoked', resources };
      case 'AuthorizationCodeIssued':
        return { ...token, resources: event.data.resources };
      case 'CodeExchangeRejected':
      case 'AuthorizationCodeReplayed':
      case 'TokensWithheld':
      case 'RefreshRejected':
      case 'RefreshTokenReused':
        return token; // a GrantRevoked follows those that end something
    }
  },
});

/** Ends one access token and nothing else (RV-05). Ending it again changes nothing (RV-07). */
export const revokeAccessToken = (
  token: AccessTokenState,
  { rotation, now }: { readonly rotation: number; readonly now: Instant },
): Decision<GrantEvent, 'token-unknown'> => {
  if (token.status === 'none') return refuse('token-unknown');
  if (token.status === 'revoked') return accept();
  return accept({ type: 'AccessTokenRevoked', data: { rotation, at: now } });
};
