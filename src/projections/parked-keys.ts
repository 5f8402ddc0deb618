import type { Tx } from './projection.ts';

/** Events that are left out of a projection for good, by its name: ids of what its `ParkedEventSkipped` say. */
export type ReadSkipped = (projection: string) => Promise<ReadonlySet<string>>;

export const noneSkipped: ReadSkipped = () => Promise.resolve(new Set());

export type ParkedKeysDependencies = {
  readonly tx: Tx;
  /** Of the checkpoint. */
  readonly name: string;
  readonly projections: readonly string[];
  readonly skipped: ReadSkipped;
};

/** What the leader of a group knows of its parked keys: as the table has them, for nobody else writes them unnoticed. */
export type ParkedKeys = {
  /** Nothing is parked and nothing was ever skipped: nobody needs to ask further. */
  isEmpty(): boolean;
  /** What becomes of a projection's event: a key that is parked keeps its order. */
  routeOf(projection: string, event: { readonly id: string; readonly stream: string }): Route;
  /** After the commit. */
  add(projection: string, stream: string): void;
  /** Of how many others' changes it knows. */
  changes(): string;
  /** Reads all of it anew. */
  reload(): Promise<void>;
  count(): number;
};

export type Route = 'apply' | 'wait' | 'leave-out';

/** Somebody else has retried or skipped a key since this was read. */
export class ParkedKeysChanged extends Error {
  override readonly name = 'ParkedKeysChanged';
}

/** So many parked keys are no accident of single events: something else is wrong, and nothing more is parked. */
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

/** One statement, so that the keys are those of that count. */
const parkedKeys = `
  select parked_changes as changes,
         (select coalesce(json_agg(key), '[]')
          from (select distinct projection, stream from parked_events where checkpoint = $1) as key) as keys
  from checkpoints where name = $1`;
