import type { SessionUses } from '../../domain/sign-in/session-uses.ts';
import type { SignInCounters } from '../../domain/sign-in/sign-in-counters.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { ProviderSessions } from './provider-sessions.ts';

export type SignInDependencies = CommandDependencies & {
  readonly signInCounters: SignInCounters;
  /** Attempts to sign in allowed per minute from one address, successful ones included; 0 is no limit. */
  readonly signInsPerMinute: number;
  /** Without it, no session is listed; the log alone says which are valid. */
  readonly sessionUses?: SessionUses;
  /** Absent where there is no sign-in provider. */
  readonly providerSessions?: ProviderSessions | undefined;
};
