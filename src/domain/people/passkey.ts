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
