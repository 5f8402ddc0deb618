import { accept, type Decider, type Decision, type Instant, refuse } from '../kernel/decision.ts';

/** What a token of an add-on itself opens: what it is told by Shared Signals. Users and organizations do not grant these. */
export const signalScopes = ['ssf.read', 'ssf.manage'] as const;
export type SignalScope = (typeof signalScopes)[number];

/** These tokens live an hour at most, whatever the lifetime of others is (SG-02). */
export const longestAddonToken = 3_600_000;

/** A token that a confidential add-on took for itself (RFC 6749 §4.4). Each has a stream of its own. */
export type AddonTokenEvent =
  | {
      readonly type: 'AddonTokenIssued';
      readonly data: {
        readonly tokenId: string;
        readonly addonId: string;
        /** The client secret that it was taken with: it ends with it. */
        readonly secretId: string;
        readonly scopes: readonly SignalScope[];
        readonly at: Instant;
        readonly expiresAt: Instant;
      };
    }
  | {
      /** The add-on revoked it before it expired (RFC 7009). */
      readonly type: 'AddonTokenRevoked';
      readonly data: { readonly at: Instant };
    };

export type AddonTokenIssue = Omit<
  Extract<AddonTokenEvent, { readonly type: 'AddonTokenIssued' }>['data'],
  'at' | 'expiresAt'
>;

export type AddonTokenState = 'none' | 'issued' | 'revoked';

export const addonTokenDecider: Decider<AddonTokenState, AddonTokenEvent> = {
  initial: 'none',
  evolve: (_, event) => {
    switch (event.type) {
      case 'AddonTokenIssued':
        return 'issued';
      case 'AddonTokenRevoked':
        return 'revoked';
    }
  },
};

/** Its lifetime is that of other access tokens, if that is no longer than an hour. */
export const issueAddonToken = (
  token: AddonTokenState,
  { now, lifetime, ...issue }: AddonTokenIssue & { readonly now: Instant; readonly lifetime: number },
): Decision<AddonTokenEvent, 'already-issued'> => {
  if (token !== 'none') return refuse('already-issued');
  const expiresAt = now + Math.min(lifetime, longestAddonToken);
  return accept({ type: 'AddonTokenIssued', data: { ...issue, at: now, expiresAt } });
};

/** Ends the token. Ending it again changes nothing (RV-07). */
export const revokeAddonToken = (
  token: AddonTokenState,
  { now }: { readonly now: Instant },
): Decision<AddonTokenEvent, 'token-unknown'> => {
  if (token === 'none') return refuse('token-unknown');
  if (token === 'revoked') return accept();
  return accept({ type: 'AddonTokenRevoked', data: { at: now } });
};

/** What an add-on is at this moment, as far as its own tokens depend on it. */
type Holder = { readonly retired: boolean; readonly secretIds: readonly string[] };

/**
 * Whether the add-on's state lets tokens of this secret be taken and used. Its suspension does not matter: the add-on
 * has to be able to ask what happened (SG-02).
 */
export const mayHoldAddonToken = (holder: Holder | null, secretId: string): boolean =>
  holder !== null && !holder.retired && holder.secretIds.includes(secretId);
