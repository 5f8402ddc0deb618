import type { ParkedKeyState } from '../parked-rows.ts';

/** What operators are shown. Instants are milliseconds since the Unix epoch. */
export type OperatorStatus = {
  readonly at: number;
  /** Which instance has looked. */
  readonly instance: string;
  /** Null: the server does not answer now, and what comes from it is missing. */
  readonly database: DatabaseStatus | null;
  /** Of how many persons the key is neither there nor destroyed; null where it could not be told. */
  readonly lostKeys: number | null;
  readonly lag: readonly GroupLag[];
  /** Of this instance: what its workers do. */
  readonly workers: readonly WorkerState[];
};

/** `off`: not configured, so there is nothing to be healthy. */
export type WorkerHealth = 'ok' | 'failing' | 'off';

export type WorkerState = { readonly name: string; readonly state: string; readonly health: WorkerHealth };

export type DatabaseStatus = {
  readonly groups: readonly GroupStatus[];
  readonly instances: readonly InstanceStatus[];
  /** The oldest of them, and how many there are in all. */
  readonly parked: { readonly keys: readonly ParkedKeyState[]; readonly all: number };
  readonly rebuilds: readonly RebuildStatus[];
};

/** Whoever has a checkpoint. */
export type GroupStatus = {
  readonly name: string;
  readonly position: string | null;
  readonly leader: string | null;
};

export type InstanceStatus = {
  readonly name: string;
  readonly since: number;
  readonly leads: readonly string[];
};

export type RebuildStatus = {
  readonly name: string;
  readonly version: number;
  readonly state: string;
  readonly events: number;
  readonly eventsPerSecond: number | null;
  readonly secondsLeft: number | null;
};

/** How many events a group was behind, the oldest sample first; null where it could not be told. */
export type GroupLag = {
  readonly name: string;
  /** More is not counted. */
  readonly most: number;
  readonly samples: readonly LagSample[];
};

export type LagSample = { readonly at: number; readonly behind: number | null };
