import { inTransaction } from '../../common/transaction.ts';
import { comparePositions, type Position } from '../../eventstore/event-store.ts';
import { openLeaderSession } from '../follow/leader-session.ts';
import { leadershipBounds } from '../follow/leadership-bounds.ts';
import { countTiled } from '../log-guard/log-tiles-table.ts';
import { advance, type AdvanceDependencies, type Worker } from './advance.ts';
import { enterVersion, takeVersion } from './build-session.ts';
import { completeIndexes, prepareVersion } from './prepare-version.ts';
import { makeMeter, type RebuildProgress } from './progress-meter.ts';
import { checkpointNameOf, rebuildableOf, type Rebuildable } from './rebuildables.ts';
import { RebuildRefused } from './refusal.ts';
import { noneSkipped, withSession, type RebuildDependencies, type Session } from './session.ts';
import { changeVersion, readPosition, type Version } from './versions.ts';

export type RebuildOptions = {
  readonly name: string;
  /** By default the newest unfinished one, or a new one. */
  readonly version?: number;
  /** Connections that write in parallel; by default as many as at its start, or one. */
  readonly workers?: number;
  readonly batchSize?: number;
  readonly progressed?: (progress: RebuildProgress) => void;
};

export type Rebuilt = {
  readonly name: string;
  readonly version: number;
  readonly schema: string;
  /** Events of this version, over all runs. */
  readonly events: number;
  /**
   * The approximate number of events of all types in the log; null while the tree over it is not kept, or as long
   * as it is behind: it grows with each signed head. The server skips the types that are not requested.
   */
  readonly logEvents: number | null;
  /** Duration of this run. */
  readonly seconds: number;
  readonly eventsPerSecond: number;
  /** Keys that the projection could not apply here (ADR 20). */
  readonly parkedKeys: number;
  /** The position of the live tables, too. */
  readonly position: Position;
};

/**
 * Builds a version of a read model beside the live one, up to the live position. May be killed at any point: the next
 * run continues.
 * @throws RebuildRefused, also when it was interrupted; ProjectionStuck at an event that the projection cannot apply
 */
export const rebuild = async (
  dependencies: RebuildDependencies,
  options: RebuildOptions,
): Promise<Rebuilt> => {
  const rebuildable = rebuildableOf(options.name);
  return withSession(dependencies, rebuildable.name, async (session) => {
    const signal = AbortSignal.any([dependencies.signal, session.lost]);
    const { now } = dependencies;
    const version = await prepareVersion(session.tx, rebuildable, { ...options, now: now() });
    return await build({ ...dependencies, signal }, session, rebuildable, version, options);
  });
};

/** So close that the rest takes only a moment. */
const nearMs = 2_000;

const build = async (
  dependencies: RebuildDependencies,
  session: Session,
  rebuildable: Rebuildable,
  version: Version,
  options: RebuildOptions,
): Promise<Rebuilt> => {
  const { tx } = session;
  const { signal, now, skipped = noneSkipped } = dependencies;
  await enterVersion(tx, version);
  const meter = makeMeter({ version, tx, now, told: options.progressed });
  const advancing: AdvanceDependencies = {
    log: dependencies.log,
    projection: rebuildable.projection,
    keyOf: rebuildable.keyOf,
    signal,
    wrote: (...written) => meter.wrote(...written),
    ...(options.batchSize !== undefined && { batchSize: options.batchSize }),
  };
  const toLive = async (worker: Worker): Promise<Worker> => {
    for (;;) {
      const began = performance.now();
      const target = await livePosition(tx, rebuildable);
      if (worker.position && comparePositions(worker.position, target) >= 0) return worker;
      meter.aims([worker.position], target);
      [worker = worker] = await advance(advancing, [worker], target);
      refuseInterrupted(signal, version);
      if (performance.now() - began < nearMs) return worker;
    }
  };

  let worker = await takeVersion(tx, rebuildable, version, skipped);
  if (worker.position === null && version.workers > 1)
    worker = await buildInParts(dependencies, { session, rebuildable, version, meter, advancing, worker });
  worker = await toLive(worker);
  await meter.tell();
  await completeIndexes(tx, rebuildable, version, signal);
  refuseInterrupted(signal, version);
  worker = await toLive(worker);
  for (const table of rebuildable.tables) await tx.query(`analyze ${table}`);
  const { events, seconds } = await meter.end();
  await changeVersion(tx, version, { state: 'built', built_at: now(), seconds_left: 0 });
  const { name, schema } = version;
  const position = worker.position as Position; // a live group without a position was refused before
  const eventsPerSecond = meter.eventsPerSecond();
  const parkedKeys = worker.parked.count();
  const tiled = await countTiled(tx);
  const logEvents = tiled !== null && tiled >= events ? tiled : null;
  const counts = { events, logEvents, seconds, eventsPerSecond, parkedKeys };
  return { name, version: version.version, schema, ...counts, position };
};

/** @throws RebuildRefused when nothing was ever applied: there is no live read model to rebuild */
export const livePosition = async (tx: Session['tx'], { group }: Rebuildable): Promise<Position> => {
  const position = await readPosition(tx, group);
  if (position) return position;
  throw new RebuildRefused(
    'nothing-live',
    'the live read models have applied no event yet: start the service first',
  );
};

const refuseInterrupted = (signal: AbortSignal, { name, version }: Version): void => {
  if (!signal.aborted) return;
  const again = `run projections rebuild ${name} again to go on with version ${version}`;
  throw new RebuildRefused('interrupted', `it was interrupted; ${again}`);
};

type Parts = {
  readonly session: Session;
  readonly rebuildable: Rebuildable;
  readonly version: Version;
  readonly meter: ReturnType<typeof makeMeter>;
  readonly advancing: AdvanceDependencies;
  /** The worker of the whole version, which starts where all parts are. */
  readonly worker: Worker;
};

/**
 * Builds most of the log with several connections, each with its own checkpoint and lease; from where they meet, one
 * continues.
 */
const buildInParts = async (
  { databaseUrl, logger, signal, skipped = noneSkipped }: RebuildDependencies,
  { session: { tx }, rebuildable, version, meter, advancing, worker }: Parts,
): Promise<Worker> => {
  const target = await livePosition(tx, rebuildable);
  const opened: Awaited<ReturnType<typeof openLeaderSession>>[] = [];
  const lost = new AbortController();
  try {
    const parts: Worker[] = [];
    for (let index = 0; index < version.workers; index += 1) {
      const name = `${checkpointNameOf(version.name, version.version)}:${index + 1}of${version.workers}`;
      const part = await openLeaderSession({ databaseUrl, logger, signal, name, bounds: partBounds });
      opened.push(part);
      part.lost.addEventListener('abort', () => lost.abort());
      await enterVersion(part.tx, version);
      parts.push(await takeVersion(part.tx, rebuildable, version, skipped, { index, of: version.workers }));
    }
    meter.aims(
      parts.map(({ position }) => position),
      target,
    );
    const untilLost = AbortSignal.any([signal, lost.signal]);
    const arrived = await advance({ ...advancing, signal: untilLost }, parts, target);
    refuseInterrupted(signal, version);
    for (const part of opened) part.lost.throwIfAborted();
    return await meet(tx, worker, arrived, target);
  } finally {
    await Promise.all(opened.map((part) => part.close()));
  }
};

const partBounds = { ...leadershipBounds, statementMs: 3_600_000 };

const meet = (
  tx: Session['tx'],
  worker: Worker,
  parts: readonly Worker[],
  target: Position,
): Promise<Worker> =>
  inTransaction(tx, async () => {
    const { name, epoch } = worker.lease;
    await tx.query(
      'update checkpoints set commit_position = $3, prepare_position = $4 where name = $1 and lease_epoch = $2',
      [name, epoch, target.commit, target.prepare],
    );
    const done = parts.map(({ lease }) => lease.name);
    await tx.query('delete from checkpoints where name = any($1)', [done]);
    await tx.query('update parked_events set checkpoint = $1 where checkpoint = any($2)', [name, done]);
    await worker.parked.reload();
    return { ...worker, position: target };
  });
