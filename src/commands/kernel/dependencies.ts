import type { Instant } from '../../domain/kernel/decision.ts';
import type { Fence } from '../../domain/fence/fence.ts';
import type { EventStore } from '../../eventstore/event-store.ts';
import type { TokenKeys } from '../credentials/token-keys.ts';
import type { UnfinishedCalls } from './unfinished-calls.ts';

/** What commands of every feature need; a feature's own are in its folder, and make-commands.ts composes them. */
export type CommandDependencies = {
  readonly store: EventStore;
  readonly fence: Fence;
  readonly keys: TokenKeys;
  readonly now: () => Instant;
  /** A new ULID; see `new-id.ts`. */
  readonly newId: () => string;
  readonly lifetimes: Lifetimes;
  /** Without it, a call that appends to several streams and is killed is completed by a repeat only. */
  readonly unfinished?: UnfinishedCalls | undefined;
};

/** Lifetimes; all in milliseconds (the settings are in seconds). */
export type Lifetimes = {
  readonly code: number;
  readonly accessToken: number;
  readonly refreshIdle: number;
  readonly refreshAbsolute: number;
  /** How long a superseded refresh token is answered with its successor again; 0 is strict (RT-07). */
  readonly refreshGrace: number;
  /** The most of an outage that does not count towards the grace; 0 is none (OP-10). */
  readonly refreshGraceOutage: number;
  /** How soon after the winner a duplicate exchange counts as a retry storm, not as theft (TC-12). */
  readonly replayTolerance: number;
  /** From sign-in to expiry, used or not. */
  readonly session: number;
  /** For how long a browser counts as one that has signed in before. */
  readonly device: number;
  /** For how long a sign-in with a provider confirms the rights of its claims for administrator tokens. */
  readonly providerRights: number;
  /** Lifetime of the record that an administrator's browser has just activated an add-on (AC-01). */
  readonly handOff: number;
};

/** S9's defaults, and our own where S9 names none. */
export const defaultLifetimes: Lifetimes = {
  code: 60_000,
  accessToken: 3_600_000,
  refreshIdle: 30 * 86_400_000,
  refreshAbsolute: 365 * 86_400_000,
  refreshGrace: 30_000,
  refreshGraceOutage: 300_000,
  replayTolerance: 1_000,
  session: 12 * 3_600_000,
  device: 365 * 86_400_000,
  providerRights: 30 * 86_400_000,
  handOff: 600_000,
};

/** The lifetimes that have a setting. */
type Configured = Exclude<keyof Lifetimes, 'replayTolerance' | 'session' | 'device' | 'handOff'>;

/** Settings are in seconds; the program uses milliseconds. */
export const lifetimesOf = (seconds: Pick<Lifetimes, Configured>): Lifetimes => ({
  ...defaultLifetimes,
  code: seconds.code * 1000,
  accessToken: seconds.accessToken * 1000,
  refreshIdle: seconds.refreshIdle * 1000,
  refreshAbsolute: seconds.refreshAbsolute * 1000,
  refreshGrace: seconds.refreshGrace * 1000,
  refreshGraceOutage: seconds.refreshGraceOutage * 1000,
  providerRights: seconds.providerRights * 1000,
});
