import type { Position } from '../eventstore/event-store.ts';
import { moveCheckpoint, type Lease } from './checkpoint.ts';
import type { Tx } from './projection.ts';

/** Where the tree over the log stands: all of it follows from the log. */
export type LogTreeRow = {
  /** Of the last head in its stream; −1 before the first. */
  readonly headRevision: bigint;
  readonly headSize: number;
  readonly size: number;
  /** Of the last leaf. */
  readonly position: Position;
  /** Hashes, one behind the other. */
  readonly before: Buffer;
  readonly since: Buffer;
};

type Stored = {
  readonly head_revision: string;
  readonly head_size: string;
  readonly size: string;
  readonly commit_position: string;
  readonly prepare_position: string;
  readonly before: Buffer;
  readonly since: Buffer;
};

export const selectLogTree = {
  name: 'log-tree',
  text: 'select head_revision, head_size, size, commit_position, prepare_position, before, since from log_tree',
};

/** Null where there is none yet. */
export const logTreeOf = ([row]: readonly Stored[]): LogTreeRow | null =>
  row
    ? {
        headRevision: BigInt(row.head_revision),
        headSize: Number(row.head_size),
        size: Number(row.size),
        position: { commit: BigInt(row.commit_position), prepare: BigInt(row.prepare_position) },
        before: row.before,
        since: row.since,
      }
    : null;

export const readLogTree = async (tx: Tx): Promise<LogTreeRow | null> =>
  logTreeOf((await tx.query<Stored>(selectLogTree.text)).rows);

/**
 * Keeps it, and moves the checkpoint with it from where this leader left it.
 * @throws LeaseLost when another one leads: nothing was kept
 */
export const writeLogTree = async (
  tx: Tx,
  lease: Lease,
  from: Position | null,
  row: LogTreeRow,
): Promise<void> => {
  await tx.query('begin');
  try {
    await moveCheckpoint(tx, lease, from, row.position);
    await tx.query(upsert, [
      row.headRevision,
      row.headSize,
      row.size,
      row.position.commit,
      row.position.prepare,
      row.before,
      row.since,
    ]);
    await tx.query('commit');
  } catch (error) {
    await tx.query('rollback').catch(() => undefined); // a lost connection has rolled back
    throw error;
  }
};

const upsert = `
  insert into log_tree (head_revision, head_size, size, commit_position, prepare_position, before, since)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (only_one) do update set head_revision = excluded.head_revision, head_size = excluded.head_size,
    size = excluded.size, commit_position = excluded.commit_position, prepare_position = excluded.prepare_position,
    before = excluded.before, since = excluded.since`;
