import type { Tx } from '../follow/projection.ts';

/** Reads the events that a projection permanently skips, by its name: the ids in its `ParkedEventSkipped` events. */
export type ReadSkipped = (projection: string) => Promise<ReadonlySet<string>>;

export const noneSkipped: ReadSkipped = () => Promise.resolve(new Set());

export type ParkedKeysDependencies = {
  readonly tx: Tx;
  readonly name: string;
  readonly projections: readonly string[];
  readonly skipped: ReadSkipped;
};

/** The parked keys that the leader of a group has in memory, as in the table: changes from outside are always detected. */
export type ParkedKeys = {
  /** Nothing is parked and nothing was ever skipped: no further checks are needed. */
  isEmpty(): boolean;
  /** What to do with an event of a projection: later events of a parked key have to wait. */
  routeOf(projection: string, event: { readonly id: string; readonly stream: string }): Route;
  /** To be called after the commit. */
  add(projection: string, stream: string): void;
  /** The count of changes from outside that it knows. */
  changes(): string;
  reload(): Promise<void>;
  count(): number;
};

export type Route = 'apply' | 'wait' | 'leave-out';

/** Somebody else has retried or skipped a key since this was read. */
export class ParkedKeysChanged extends Error {
  override readonly name = 'ParkedKeysChanged';
}

/** With this many parked keys, the problem is not single events: something else is wrong, and nothing more is parked. */
export const mostParkedKeys = 10_000;

export const loadParkedKeys = async (dependencies: ParkedKeysDependencies): Promise<ParkedKeys> => {
  let known = await readAll(dependencies);
  return {
    isEmpty: () => known.keys.size === 0 && known.skipped.size === 0,
    routeOf(projection, { id, stream }) {
      if (known.skipped.has(keyOf(projection, id))) return 'leave-out';
      return known.keys.has(keyOf(projection, stream)) ? 'wait' : 'apply';
    },
    add: (projection, stream) => void known.keys.add(keyOf(projection, stream)),
    changes: () => known.changes,
    async reload() {
      known = await readAll(dependencies);
    },
    count: () => known.keys.size,
  };
};

const keyOf = (projection: string, streamOrId: string): string => `${projection} ${streamOrId}`;

type Stored = {
  readonly changes: string;
  readonly keys: readonly { readonly projection: string; readonly stream: string }[];
};

const readAll = async ({ tx, name, projections, skipped }: ParkedKeysDependencies) => {
  const [stored, leftOut] = await Promise.all([
    tx.query<Stored>(parkedKeys, [name]),
    Promise.all(
      projections.map(async (projection) =>
        [...(await skipped(projection))].map((id) => keyOf(projection, id)),
      ),
    ),
  ]);
  const { changes, keys } = stored.rows[0] ?? { changes: '0', keys: [] };
  return {
    changes,
    keys: new Set(keys.map(({ projection, stream }) => keyOf(projection, stream))),
    skipped: new Set(leftOut.flat()),
  };
};

/** One statement, so that keys and count are from the same moment. */
const parkedKeys = `
  select parked_changes as changes,
         (select coalesce(json_agg(key), '[]')
          from (select distinct projection, stream from parked_events where checkpoint = $1) as key) as keys
  from checkpoints where name = $1`;
