import type { DataIn, EventsIn } from '../describe-event.ts';
import type { Instant } from '../kernel/decision.ts';
import type { accountEvents } from './events.ts';

/** A passkey (WebAuthn credential) of an account. */
export type Passkey = Omit<DataIn<typeof accountEvents, 'PasskeyAdded'>, 'at'> & {
  readonly addedAt: Instant;
};

export type PasskeyEvent = Extract<
  EventsIn<typeof accountEvents>,
  { readonly type: 'PasskeyAdded' | 'PasskeyRenamed' | 'PasskeyRemoved' }
>;

export const evolvePasskeys = (passkeys: readonly Passkey[], event: PasskeyEvent): readonly Passkey[] => {
  switch (event.type) {
    case 'PasskeyAdded': {
      const { at, ...passkey } = event.data;
      return [...passkeys, { ...passkey, addedAt: at }];
    }
    case 'PasskeyRenamed': {
      const { passkeyId, name } = event.data;
      return passkeys.map((passkey) => (passkey.passkeyId === passkeyId ? { ...passkey, name } : passkey));
    }
    case 'PasskeyRemoved':
      return passkeys.filter(({ passkeyId }) => passkeyId !== event.data.passkeyId);
  }
};

/** Signature counters of passkeys and their last uses. The log decides who signs in; a counter only shows copies. */
export type PasskeyUses = {
  /** False, and nothing is stored, if the counter is not higher than at the last use on any instance: two devices use the key. */
  note(use: {
    readonly passkeyId: string;
    readonly userId: string;
    readonly counter: number;
    readonly at: Instant;
  }): Promise<boolean>;
  /** When each passkey of a user was last used, by its id; nothing for one that never was. */
  of(userId: string): Promise<ReadonlyMap<string, Instant>>;
  /** Removes what is stored about a passkey, or about all of a user. */
  forget(what: { readonly passkeyId: string } | { readonly userId: string }): Promise<void>;
};
