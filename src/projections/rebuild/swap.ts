import pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { inTransaction } from '../../common/transaction.ts';
import { comparePositions, type Position, type ReadEvent } from '../../eventstore/event-store.ts';
import { foldAll } from '../follow/fold-messages.ts';
import { park } from '../parking/park.ts';
import { ownSchema } from '../database/own-schema.ts';
import { moveCheckpoint } from '../follow/checkpoint.ts';
import type { Tx } from '../follow/projection.ts';
import { advance, endingAt, isEvent, type Worker } from './advance.ts';
import { enterVersion, takeVersion, checkTables } from './prepare-version.ts';
import { mergeFence } from './fence-compare.ts';
import { livePosition } from './rebuild.ts';
import { checkpointNameOf, rebuildableOf, schemaOf, type Rebuildable } from './rebuildables.ts';
import { isLockTimeout, RebuildRefused, refuseInUse } from './refusal.ts';
import { noneSkipped, withSession, type RebuildDependencies } from './session.ts';
import { nameOf, readPartitionNames } from './table-definition.ts';
import { announceSwaps, changeVersion, chooseVersion, readVersions, type Version } from './versions.ts';
import { refuseUnbuilt } from './verify.ts';

export type SwapOptions = {
  readonly name: string;
  readonly version?: number;
  /** Also when it was never verified, or was found to differ. */
  readonly unverified?: boolean;
  /** This many events take only a moment; with more, the rebuild continues first. */
  readonly mostBehind?: number;
  /** For tests: called before the transaction commits, and between the commit and the record of the swap. */
  readonly at?: (point: 'before-commit' | 'after-commit') => Promise<void> | void;
};

export type Swapped = {
  readonly name: string;
  readonly version: number;
  readonly position: Position;
  /** Null for a merge. */
  readonly previousVersion: number | null;
  /** Number of events applied in the transaction, while the projector waited. */
  readonly events: number;
  /** For the fence: number of rows that were missing, or behind. */
  readonly merged: number | null;
};

/** Makes a version live, in one transaction that readers see whole; the fence is merged. @throws RebuildRefused: nothing was changed */
export const swap = async (dependencies: RebuildDependencies, options: SwapOptions): Promise<Swapped> => {
  const rebuildable = rebuildableOf(options.name);
  await announceSwaps(dependencies);
  const swapped = await withSession(dependencies, rebuildable.name, async ({ tx, lost }) => {
    const signal = AbortSignal.any([dependencies.signal, lost]);
    const version = chooseVersion(
      await readVersions(tx, rebuildable.name),
      rebuildable.name,
      options.version,
    );
    refuseUnbuilt(version);
    if (options.unverified !== true) refuseUnverified(version);
    await checkTables(tx, rebuildable, version);
    await enterVersion(tx, version);
    const worker = await comeNear({ ...dependencies, signal }, { ...options, tx, rebuildable, version });
    await tx.query('reset synchronous_commit');
    if (rebuildable.kept === 'merged') return merge(tx, version, worker, dependencies.now());
    return exchange({ ...dependencies, signal }, { ...options, rebuildable, version, worker });
  });
  await options.at?.('after-commit');
  await announceSwaps(dependencies);
  return swapped;
};

const refuseUnverified = ({ name, version, verifiedAt, verifiedEqual }: Version): void => {
  const how = `run projections verify ${name} --version ${version} first, or add --unverified`;
  if (verifiedAt === null)
    throw new RebuildRefused('unverified', `version ${version} of ${name} was never verified: ${how}`);
  if (verifiedEqual !== true)
    throw new RebuildRefused('different', `version ${version} of ${name} was found to differ: ${how}`);
};

const usualMoment = 5_000;

type Near = Pick<SwapOptions, 'mostBehind'> & {
  readonly tx: Tx;
  readonly rebuildable: Rebuildable;
  readonly version: Version;
};

/** Applies what is missing by now, unless it is too much. */
const comeNear = async (
  dependencies: RebuildDependencies,
  { tx, rebuildable, version, mostBehind = usualMoment }: Near,
): Promise<Worker> => {
  const worker = await takeVersion(tx, rebuildable, version, dependencies.skipped ?? noneSkipped);
  const target = await livePosition(tx, rebuildable);
  const missing = await between(dependencies, rebuildable, worker.position, target, mostBehind);
  refuseBehind(version, missing, mostBehind);
  const { projection } = rebuildable;
  const arrived = await advance({ ...dependencies, projection }, worker, target);
  if (dependencies.signal.aborted)
    throw new RebuildRefused('interrupted', 'it was interrupted; nothing was swapped');
  return arrived;
};

const refuseBehind = ({ name, version }: Version, { events, more }: Missing, most: number): void => {
  if (events.length <= most) return;
  const count = `${more ? 'more than ' : ''}${events.length}`;
  throw new RebuildRefused(
    'behind',
    `version ${version} of ${name} is ${count} events behind: run projections rebuild ${name} --version ${version} first`,
  );
};

type Missing = { readonly events: readonly ReadEvent[]; readonly more: boolean };

/** Counting stops at this multiple of what takes a moment. */
const countedMoments = 20;

const between = async (
  { log, signal }: RebuildDependencies,
  { projection: { eventTypes } }: Rebuildable,
  after: Position | null,
  upTo: Position,
  most: number,
): Promise<Missing> => {
  if (after && comparePositions(after, upTo) >= 0) return { events: [], more: false };
  const leaving = new AbortController();
  const events: ReadEvent[] = [];
  try {
    const from = { after, eventTypes, signal: AbortSignal.any([signal, leaving.signal]) };
    for await (const message of endingAt(log, from, upTo)) {
      if (isEvent(message)) events.push(message);
      if (events.length >= countedMoments * Math.max(most, 1)) return { events, more: true };
    }
  } finally {
    leaving.abort();
  }
  if (signal.aborted) throw new RebuildRefused('interrupted', 'it was interrupted; nothing was swapped');
  return { events, more: false };
};

type Exchange = Pick<SwapOptions, 'mostBehind' | 'at'> & {
  readonly rebuildable: Rebuildable;
  readonly version: Version;
  readonly worker: Worker;
};

const exchange = (dependencies: RebuildDependencies, swapping: Exchange): Promise<Swapped> => {
  const { rebuildable, version, worker, mostBehind = usualMoment, at } = swapping;
  const { name, tables, group, projection } = rebuildable;
  const { tx, lease } = worker;
  return inTransaction(tx, async () => {
    const versions = await readVersions(tx, name);
    const previous = versions.find(({ state }) => state === 'live');
    if (!previous) throw new Error(`no version of ${name} is live`);
    const liveSchema = await ownSchema(tx);
    const here = tables.map((table) => nameOf(liveSchema, table));
    const there = tables.map((table) => nameOf(version.schema, table));
    // This lock blocks neither reads nor writes, but a running vacuum gives way to it, and none can start.
    await lockTables(tx, [...here, ...there], 'share update exclusive', '5s');
    // From here on the projector waits.
    await tx.query('select from checkpoints where name = $1 for update', [group]);
    const position = await livePosition(tx, rebuildable);
    const missing = await between(dependencies, rebuildable, worker.position, position, mostBehind);
    refuseBehind(version, missing, mostBehind);
    // A concurrent retry holds this row, too: from here on the table says which keys are parked.
    await tx.query('select from checkpoints where name = $1 for update', [lease.name]);
    await worker.parked.reload();
    const { batches, waiting } = foldAll([projection], missing.events, worker.parked);
    if (!worker.position || comparePositions(position, worker.position) > 0)
      await moveCheckpoint(tx, lease, worker.position, position);
    for (const batch of batches) await batch.write(tx);
    await park(tx, lease.name, waiting);

    await lockBriefly(tx, [...here, ...there], dependencies.signal);
    const away = schemaOf(liveSchema, name, previous.version);
    await tx.query(`create schema if not exists ${pg.escapeIdentifier(away)}`);
    for (const table of tables) {
      await moveTable(tx, table, liveSchema, away);
      await moveTable(tx, table, version.schema, liveSchema);
    }
    await tx.query(`drop schema ${pg.escapeIdentifier(version.schema)}`);
    await exchangeCheckpoints(tx, rebuildable, {
      built: lease.name,
      old: checkpointNameOf(name, previous.version),
      position,
    });
    await changeVersion(tx, previous, {
      state: 'old',
      schema: away,
      verified_at: null,
      verified_equal: null,
    });
    await changeVersion(tx, version, {
      state: 'live',
      schema: liveSchema,
      swapped_at: dependencies.now(),
      previous_version: previous.version,
      swap_told: false,
    });
    await at?.('before-commit');
    return {
      name,
      version: version.version,
      position,
      previousVersion: previous.version,
      events: missing.events.length,
      merged: null,
    };
  });
};

/** Moves its partitions, too: the server does not move them with the table. */
const moveTable = async (tx: Tx, table: string, from: string, to: string): Promise<void> => {
  for (const name of [table, ...(await readPartitionNames(tx, from, table))])
    await tx.query(`alter table ${nameOf(from, name)} set schema ${pg.escapeIdentifier(to)}`);
};

type Checkpoints = { readonly built: string; readonly old: string; readonly position: Position };

/** The old version gets the position of the takeover, to be continued or swapped back; parked events move along. */
const exchangeCheckpoints = async (
  tx: Tx,
  { name, group }: Rebuildable,
  { built, old, position }: Checkpoints,
): Promise<void> => {
  await tx.query(
    `insert into checkpoints (name, commit_position, prepare_position) values ($1, $2, $3)
     on conflict (name) do update set commit_position = excluded.commit_position, prepare_position = excluded.prepare_position`,
    [old, position.commit, position.prepare],
  );
  await tx.query('delete from checkpoints where name = $1', [built]);
  const moveParked = 'update parked_events set checkpoint = $3 where checkpoint = $2 and projection = $1';
  await tx.query(moveParked, [name, group, old]);
  await tx.query(moveParked, [name, built, group]);
  await tx.query('update checkpoints set parked_changes = parked_changes + 1 where name = $1', [group]);
  // An event that was applied late is at its proper place in what was rebuilt. Pages differ then, so the tags have to
  // differ, too.
  if (name === 'lists') await tx.query('update list_corrections set times = times + 1');
};

const attempts = 40;
const pauseMs = 25;

const lockTables = async (
  tx: Tx,
  tables: readonly string[],
  mode: string,
  timeout: string,
): Promise<void> => {
  await tx.query(`set local lock_timeout = '${timeout}'`);
  await tx.query(`lock table ${tables.join(', ')} in ${mode} mode`).catch(refuseInUse('swapped'));
};

/** Requests that arrive meanwhile wait behind this lock. So each attempt to get it is short, and repeated. */
const lockBriefly = async (tx: Tx, tables: readonly string[], signal: AbortSignal): Promise<void> => {
  await tx.query(`set local lock_timeout = '60ms'`);
  for (let attempt = 1; ; attempt += 1) {
    await tx.query('savepoint unlocked');
    try {
      await tx.query(`lock table ${tables.join(', ')} in access exclusive mode`);
      return;
    } catch (error) {
      if (!isLockTimeout(error) || attempt === attempts || signal.aborted) refuseInUse('swapped')(error);
    }
    await tx.query('rollback to savepoint unlocked');
    await delay(pauseMs);
  }
};

const merge = async (tx: Tx, version: Version, { position }: Worker, now: number): Promise<Swapped> => {
  const merged = await mergeFence(tx, version.schema);
  await changeVersion(tx, version, { swapped_at: now });
  if (!position) throw new Error('the fence was built up to no position');
  return { name: version.name, version: version.version, position, previousVersion: null, events: 0, merged };
};
