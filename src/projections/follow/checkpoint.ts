import type { Position } from '../../eventstore/event-store.ts';
import { notifyOn } from '../database/installation.ts';
import type { Tx } from './projection.ts';

/**
 * The right to move a checkpoint: the leader has the highest epoch, so a former leader that still runs can do no harm.
 */
export type Lease = { readonly name: string; readonly epoch: string };

/** Another instance leads now, or the checkpoint is not where this leader left it. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The checkpoint of the live read models. */
export const liveReadModels = 'read-models';

export const PROGRESS_CHANNEL = 'grantbook_progress';

type Row = { readonly commit_position: string | null; readonly prepare_position: string | null };

const toPosition = ({ commit_position: commit, prepare_position: prepare }: Row): Position | null =>
  commit === null || prepare === null ? null : { commit: BigInt(commit), prepare: BigInt(prepare) };

/** Starts a new lease. Only the holder of the group's advisory lock calls it. */
export const takeLease = async (
  tx: Tx,
  name: string,
): Promise<{ readonly lease: Lease; readonly position: Position | null }> => {
  const { rows } = await tx.query<Row & { lease_epoch: string }>(
    `insert into checkpoints (name, lease_epoch) values ($1, 1)
     on conflict (name) do update set lease_epoch = checkpoints.lease_epoch + 1
     returning lease_epoch, commit_position, prepare_position`,
    [name],
  );
  const [row] = rows;
  if (!row) throw new LeaseLost(`The checkpoint ${name} cannot be taken`);
  return { lease: { name, epoch: row.lease_epoch }, position: toPosition(row) };
};

/**
 * Moves the checkpoint by compare-and-set and notifies everybody who waits for it, both with the commit. Called first
 * in the transaction: it also locks the row, so that two leaders never write at the same time.
 * @returns how often parked keys were changed from outside, for example by a retry
 * @throws LeaseLost when another one leads, or the position is not `from`
 */
export const moveCheckpoint = async (
  tx: Tx,
  { name, epoch }: Lease,
  from: Position | null,
  to: Position,
): Promise<string> => {
  const values = [name, epoch, from?.commit ?? null, from?.prepare ?? null, to.commit, to.prepare];
  const { rows } = await tx.query<Moved>({ name: 'move-checkpoint', text: moveStatement, values });
  const [moved] = rows;
  if (!moved) throw new LeaseLost(`The checkpoint ${name} was moved by another leader`);
  return moved.parked_changes;
};

type Moved = { readonly parked_changes: string };

const moveStatement = `
  with moved as (
    update checkpoints set commit_position = $5, prepare_position = $6
    where name = $1 and lease_epoch = $2
      and (commit_position, prepare_position) is not distinct from ($3::numeric, $4::numeric)
    returning name, commit_position, prepare_position, parked_changes)
  select ${notifyOn(PROGRESS_CHANNEL, `name || ' ' || commit_position || ' ' || prepare_position`)}, parked_changes from moved`;

/**
 * Records that the group has applied everything in the log. @throws what the database throws; with a lost lease nothing
 * changes
 */
export const markComplete = async (tx: Tx, { name, epoch }: Lease): Promise<void> => {
  const text = 'update checkpoints set complete = true where name = $1 and lease_epoch = $2 and not complete';
  await tx.query(text, [name, epoch]);
};

export const readComplete = {
  name: 'read-complete',
  text: 'select complete from checkpoints where name = $1',
};

export const readCheckpoint = {
  name: 'read-checkpoint',
  text: 'select commit_position, prepare_position from checkpoints where name = $1',
};

export type CheckpointRow = Row;

/** Null before the first event. */
export const checkpointOf = ([row]: readonly Row[]): Position | null => (row ? toPosition(row) : null);
