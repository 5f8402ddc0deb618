import type { Instant } from '../../domain/kernel/decision.ts';
import type { Fence } from '../../domain/fence/fence.ts';
import type { KnownGrant } from '../../domain/access/known-grant.ts';
import type { SignInCounters } from '../../domain/sign-in/sign-in-counters.ts';
import type { EventStore } from '../../eventstore/event-store.ts';
import type { KnownRecords } from '../../projections/read-models.ts';
import type { RunInBackground } from './background-tasks.ts';
import type { AddonGrants } from '../access/addon-grants.ts';
import type { Outages } from '../access/outages.ts';
import type { Persons } from '../people/accounts/persons.ts';
import type { ProviderSessions } from '../sign-in/provider-sessions.ts';
import type { Passwords } from '../people/credentials/passwords.ts';
import type { PasskeyUses } from '../../domain/people/passkey-uses.ts';
import type { SessionUses } from '../../domain/sign-in/session-uses.ts';
import type { TokenKeys } from '../credentials/token-keys.ts';

/** What the commands need. Each factory takes the part that it uses. */
export type CommandDependencies = {
  readonly store: EventStore;
  readonly fence: Fence;
  readonly keys: TokenKeys;
  readonly now: () => Instant;
  /** A new ULID; see `new-id.ts`. */
  readonly newId: () => string;
  readonly passwords: Passwords;
  readonly signInCounters: SignInCounters;
  /** Attempts to sign in allowed per minute from one address, successful ones included; 0 is no limit. */
  readonly signInsPerMinute: number;
  /** Rotations of one grant within an hour; 0 is no limit. */
  readonly rotationsPerHour: number;
  /** How many grants are cached in their last known state, to save reads; 100,000 by default. */
  readonly grantCacheSize?: number;
  /** User ids of accounts that may have the role `operator`: the log says whether they do. Without it, nobody is known. */
  readonly operators?: () => Promise<readonly string[]>;
  /** Those names that an organization has as its id or external id, as far as the read models know. */
  readonly namesOfOrganizations: (names: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Without it, outages are not taken into account. */
  readonly outages?: Outages;
  readonly inBackground: RunInBackground;
  /** Without it, no session is listed; the log alone says which are valid. */
  readonly sessionUses?: SessionUses;
  /** Without it, nobody signs in with a passkey. */
  readonly passkeyUses?: PasskeyUses;
  /** Required: the commands that record an erasure also delete the key. */
  readonly persons: Persons;
  readonly lifetimes: Lifetimes;
  /** False: nobody signs in with a password (`LOCAL_SIGN_IN=off`). */
  readonly localSignIn?: boolean;
  /** Absent where there is no sign-in provider. */
  readonly providerSessions?: ProviderSessions | undefined;
  /** Saves most of the work for records that arrive again; without it only the log is read. */
  readonly knownRecords?: KnownRecords;
  /** What the read models know of grants; asked only before a refusal. Without it, only the credential itself is evidence. */
  readonly knownGrants?: (grantIds: readonly string[]) => Promise<ReadonlyMap<string, KnownGrant>>;
  /** Without it, no add-on can be retired, and no removal of a scope can be applied to grants. */
  readonly addonGrants?: AddonGrants;
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
