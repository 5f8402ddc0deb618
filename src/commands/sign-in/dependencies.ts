import type { SessionUses } from '../../domain/sign-in/session.ts';
import type { SignInCounters } from '../../domain/sign-in/sign-in-limits.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { Instant } from '../../domain/kernel/decision.ts';

export type SignInDependencies = CommandDependencies & {
  readonly signInCounters: SignInCounters;
  /** Attempts to sign in allowed per minute from one address, successful ones included; 0 is no limit. */
  readonly signInsPerMinute: number;
  /** Without it, no session is listed; the log alone says which are valid. */
  readonly sessionUses?: SessionUses;
  /** Absent where there is no sign-in provider. */
  readonly providerSessions?: ProviderSessions | undefined;
};

/** Whose session at the provider one of ours comes from. */
export type SessionAtProvider = {
  readonly issuer: string;
  readonly subject: string;
  readonly sid: string | null;
};

/** Which sessions of ours come from which session at a provider, for all instances. `src/federation` implements it. */
export type ProviderSessions = {
  /** Before the session starts, so that a logout always finds it. */
  note(
    sessionId: string,
    at: SessionAtProvider & {
      readonly userId: string;
      readonly idToken: string;
      readonly expiresAt: Instant;
    },
  ): Promise<void>;
  /** Whether the provider has ended it. */
  hasEnded(sessionId: string): Promise<boolean>;
  /**
   * Marks the sessions of a `sid` and those of the user that have none; without a `sid`, all of the user.
   * @returns their ids, and whose they are; null where the row can no longer be decrypted
   */
  end(at: {
    readonly issuer: string;
    readonly subject: string | null;
    readonly sid: string | null;
  }): Promise<readonly { readonly sessionId: string; readonly userId: string | null }[]>;
};
