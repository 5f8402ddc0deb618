import type { QueryResultRow } from 'pg';
import { inTransaction, statement } from '../../common/transaction.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { moveCheckpoint, type Lease } from '../follow/checkpoint.ts';
import type { Tx } from '../follow/projection.ts';
import type { Named } from '../database/pipelined-reader.ts';

export type TileRow = {
  readonly level: number;
  readonly index: number;
  readonly hashes: Buffer;
  /** Position of the last leaf, at level 0; null above. */
  readonly last: Position | null;
};

type Stored = {
  readonly level: number;
  readonly index: string;
  readonly commit_position: string | null;
  readonly prepare_position: string | null;
  readonly hashes: Buffer;
};

type Query = <R extends QueryResultRow>(
  statement: Named,
  values: readonly unknown[],
) => Promise<readonly R[]>;

/** Reads tiles through anything that runs statements: a reader, or the connection of a leader. */
export const makeTileTable = (query: Query) => {
  const one = async (statement: Named, values: readonly unknown[]): Promise<TileRow | null> => {
    const [row] = await query<Stored>(statement, values);
    return row ? toTile(row) : null;
  };
  return {
    tile: (level: number, index: number) => one(selectTile, [level, index]),
    newest: () => one(selectNewest, []),
    at: ({ commit, prepare }: Position) => one(selectAt, [commit, prepare]),
  };
};

const columns = 'level, index, commit_position, prepare_position, hashes';
const selectTile = statement('log-tile')`select ${columns} from log_tiles where level = $1 and index = $2`;
const selectNewest = statement('newest-log-tile')`
  select ${columns} from log_tiles where level = 0 order by index desc limit 1`;
const selectAt = statement('log-tile-at')`
  select ${columns} from log_tiles where level = 0 and (commit_position, prepare_position) >= ($1, $2)
  order by commit_position, prepare_position, index limit 1`;

const toTile = ({ level, index, commit_position, prepare_position, hashes }: Stored): TileRow => ({
  level,
  index: Number(index),
  hashes,
  last:
    commit_position === null || prepare_position === null
      ? null
      : { commit: BigInt(commit_position), prepare: BigInt(prepare_position) },
});

/** Stores tiles and the checkpoint with them. @throws LeaseLost when another leads: nothing was stored */
export const writeTiles = async (
  tx: Tx,
  lease: Lease,
  from: Position | null,
  to: Position,
  tiles: readonly TileRow[],
): Promise<void> => {
  await inTransaction(tx, async () => {
    await moveCheckpoint(tx, lease, from, to);
    await tx.query(growTiles.text, [...tileColumns(tiles)]);
  });
};

/** The columns of these tiles, for `growTiles`. */
export const tileColumns = (tiles: readonly TileRow[]): readonly unknown[] => [
  tiles.map(({ level }) => level),
  tiles.map(({ index }) => index),
  tiles.map(({ last }) => last?.commit ?? null),
  tiles.map(({ last }) => last?.prepare ?? null),
  tiles.map(({ hashes }) => hashes),
];

/** Tiles are what the log makes them, and only grow: a shorter one never replaces a longer one. */
export const growTiles = statement('grow-log-tiles')`
  insert into log_tiles (${columns})
  select * from unnest($1::smallint[], $2::bigint[], $3::numeric[], $4::numeric[], $5::bytea[])
  on conflict (level, index) do update set commit_position = excluded.commit_position,
    prepare_position = excluded.prepare_position, hashes = excluded.hashes
  where length(excluded.hashes) >= length(log_tiles.hashes)`;

/** How many events the stored tiles cover: nearly all of the log. Null where none are stored. */
export const countTiled = async (tx: Tx): Promise<number | null> => {
  const { rows } = await tx.query<{ readonly events: string }>(
    `select index * 256 + length(hashes) / 32 as events from log_tiles where level = 0 order by index desc limit 1`,
  );
  return rows[0] ? Number(rows[0].events) : null;
};
