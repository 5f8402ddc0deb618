import type { Instant } from '../kernel/decision.ts';

/**
 * The signature counters of passkeys, and when each was last used. Whether a passkey signs anybody in is in the log; a
 * counter that does not go up only shows that it was copied.
 */
export type PasskeyUses = {
  /**
   * Stores a use. False, and nothing is stored, if the authenticator counts and the counter is not higher than at the
   * last use, on any instance: two devices use the same key.
   */
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
