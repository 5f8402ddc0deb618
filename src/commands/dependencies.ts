import type { Instant } from '../domain/decision.ts';
import type { Fence } from '../domain/fence.ts';
import type { SignInCounters } from '../domain/sign-in-counters.ts';
import type { EventStore } from '../eventstore/event-store.ts';
import type { KnownRecords } from '../projections/read-models.ts';
import type { RunInBackground } from './background-tasks.ts';
import type { Outages } from './outages.ts';
import type { Persons } from './persons.ts';
import type { Passwords } from './passwords.ts';
import type { TokenKeys } from './token-keys.ts';

/** What the commands close over. Each factory takes the part of it that it uses. */
export type CommandDependencies = {
  readonly store: EventStore;
  readonly fence: Fence;
  readonly keys: TokenKeys;
  readonly now: () => Instant;
  /** A new ULID; see `new-id.ts`. */
  readonly newId: () => string;
  readonly passwords: Passwords;
  readonly signInCounters: SignInCounters;
  /** Attempts to sign in that one address has a minute, the successful ones too; 0 is no limit. */
  readonly signInsPerMinute: number;
  /** Rotations of one grant within an hour; 0 is no limit. */
  readonly rotationsPerHour: number;
  /** So many grants are kept as they were known last, to save reads; 100,000 by default. */
  readonly grantCacheSize?: number;
  /** Without it nothing is known of outages. */
  readonly outages?: Outages;
  readonly aside: RunInBackground;
  /** Required: whoever says that somebody is erased destroys the key. */
  readonly persons: Persons;
  readonly lifetimes: Lifetimes;
  /** Saves most of the work where records come again; without it the log alone is asked. */
  readonly knownRecords?: KnownRecords;
};

/** How long things live; all in milliseconds (the settings are in seconds). */
export type Lifetimes = {
  readonly code: number;
  readonly accessToken: number;
  readonly refreshIdle: number;
  readonly refreshAbsolute: number;
  /** How long a superseded refresh token is answered with its successor again; 0 is strict (RT-07). */
  readonly refreshGrace: number;
  /** So much of an outage at most does not count towards the grace; 0 is none (OP-10). */
  readonly refreshGraceOutage: number;
  /** How soon after the winner a duplicate exchange counts as a retry storm, not as theft (TC-12). */
  readonly replayTolerance: number;
  /** From the sign-in to the end, used or not. */
  readonly session: number;
  /** For how long a browser counts as one that has signed in before. */
  readonly device: number;
  /** Of the record that an administrator's browser has just activated an add-on (AC-01). */
  readonly handOff: number;
};

/** S9's defaults, and our own where it is silent. */
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
  handOff: 600_000,
};
