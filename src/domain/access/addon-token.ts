import { accept, type Decider, type Decision, type Instant, refuse, type At } from '../kernel/decision.ts';
import type { DataIn, EventsIn } from '../describe-event.ts';
import type { addonTokenEvents } from './events.ts';

/** These tokens live an hour at most, whatever the lifetime of others is (SG-02). */
export const longestAddonToken = 3_600_000;

export type AddonTokenEvent = EventsIn<typeof addonTokenEvents>;
export type AddonTokenIssue = Omit<DataIn<typeof addonTokenEvents, 'AddonTokenIssued'>, 'at' | 'expiresAt'>;
export type SignalScope = AddonTokenIssue['scopes'][number];

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
  { now }: At,
): Decision<AddonTokenEvent, 'token-unknown'> => {
  if (token === 'none') return refuse('token-unknown');
  if (token === 'revoked') return accept();
  return accept({ type: 'AddonTokenRevoked', data: { at: now } });
};

/** What an add-on is at this moment, as far as its own tokens depend on it. */
type Holder = { readonly retired: boolean; readonly secretIds: readonly string[] };

/** Whether tokens of this secret may be taken and used. Suspension does not matter: the add-on may ask what happened (SG-02). */
export const mayHoldAddonToken = (holder: Holder | null, secretId: string): boolean =>
  holder !== null && !holder.retired && holder.secretIds.includes(secretId);
