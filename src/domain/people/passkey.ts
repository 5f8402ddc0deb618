import type { Instant } from '../kernel/decision.ts';

/** A passkey (WebAuthn credential) of an account. */
export type Passkey = {
  readonly passkeyId: string;
  /** Chosen by the user. */
  readonly name: string;
  /** The id that the authenticator gave it, base64url. */
  readonly credentialId: string;
  /** COSE key, base64url. */
  readonly publicKey: string;
  /** The authenticator's count of signatures when it was added; 0 for authenticators that do not count. */
  readonly counter: number;
  /** The authenticator may copy it to other devices of the user (flag `BE`, backup eligible). */
  readonly synced: boolean;
  readonly addedAt: Instant;
};

export type PasskeyEvent =
  | {
      readonly type: 'PasskeyAdded';
      readonly data: Omit<Passkey, 'addedAt'> & { readonly at: Instant };
    }
  | {
      readonly type: 'PasskeyRenamed';
      readonly data: { readonly passkeyId: string; readonly name: string; readonly at: Instant };
    }
  /**
   * It signs nobody in any more, and the sessions that began with it have ended, except the one in which the user asked
   * for it.
   */
  | {
      readonly type: 'PasskeyRemoved';
      readonly data: {
        readonly passkeyId: string;
        readonly exceptSession: string | null;
        readonly at: Instant;
      };
    };

/** The passkeys of an account after an event, oldest first. */
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
