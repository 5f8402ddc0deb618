import type { ParkedKeyState } from '../parking/parked-rows.ts';

/** The status shown to operators. Instants are milliseconds since the Unix epoch. */
export type OperatorStatus = {
  readonly at: number;
  readonly instance: string;
  /** Null: the server does not answer now, and its part is missing. */
  readonly database: DatabaseStatus | null;
  /** The number of persons whose key is missing but was not deleted; null where it is unknown. */
  readonly lostKeys: number | null;
  readonly lag: readonly GroupLag[];
  readonly workers: readonly WorkerState[];
};

/** `off`: not configured. */
export type WorkerHealth = 'ok' | 'failing' | 'off';

export type WorkerState = { readonly name: string; readonly state: string; readonly health: WorkerHealth };

export type DatabaseStatus = {
  readonly groups: readonly GroupStatus[];
  readonly instances: readonly InstanceStatus[];
  /** The oldest of them, and how many there are in all. */
  readonly parked: { readonly keys: readonly ParkedKeyState[]; readonly all: number };
  readonly rebuilds: readonly RebuildStatus[];
  /** How many add-ons' servers take no pushes of signals now. */
  readonly failingEndpoints: number;
};

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

/** How many events a group was behind, from the oldest sample; null where it is unknown. */
export type GroupLag = {
  readonly name: string;
  readonly most: number;
  readonly samples: readonly LagSample[];
};

export type LagSample = { readonly at: number; readonly behind: number | null };
