import { comparePositions, type Position } from '../../eventstore/event-store.ts';
import { countTiled } from '../log-guard/log-tiles-table.ts';
import { advance, type AdvanceDependencies, type Worker } from './advance.ts';
import { enterVersion, takeVersion, completeIndexes, prepareVersion } from './prepare-version.ts';
import { makeMeter, type RebuildProgress } from './progress-meter.ts';
import { rebuildableOf, type Rebuildable } from './rebuildables.ts';
import { RebuildRefused } from './refusal.ts';
import { noneSkipped, withSession, type RebuildDependencies, type Session } from './session.ts';
import { changeVersion, readPosition, type Version } from './versions.ts';

export type RebuildOptions = {
  readonly name: string;
  /** By default the newest unfinished one, or a new one. */
  readonly version?: number;
  readonly batchSize?: number;
  readonly progressed?: (progress: RebuildProgress) => void;
};

export type Rebuilt = {
  readonly name: string;
  readonly version: number;
  readonly schema: string;
  /** Events of this version, over all runs. */
  readonly events: number;
  /** All events in the log, approximately; null while the tree is not kept or behind. The server skips other types. */
  readonly logEvents: number | null;
  readonly seconds: number;
  readonly eventsPerSecond: number;
  /** Keys that the projection could not apply here (ADR 20). */
  readonly parkedKeys: number;
  /** The position of the live tables, too. */
  readonly position: Position;
};

/** Builds a version next to the live one, up to its position; continues after a kill. @throws RebuildRefused; ProjectionStuck at an event */
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
    signal,
    wrote: (...written) => meter.wrote(...written),
    ...(options.batchSize !== undefined && { batchSize: options.batchSize }),
  };
  const toLive = async (worker: Worker): Promise<Worker> => {
    for (;;) {
      const began = performance.now();
      const target = await livePosition(tx, rebuildable);
      if (worker.position && comparePositions(worker.position, target) >= 0) return worker;
      meter.aims(worker.position, target);
      worker = await advance(advancing, worker, target);
      refuseInterrupted(signal, version);
      if (performance.now() - began < nearMs) return worker;
    }
  };

  let worker = await takeVersion(tx, rebuildable, version, skipped);
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
  const again = `run projections rebuild ${name} again to continue with version ${version}`;
  throw new RebuildRefused('interrupted', `it was interrupted; ${again}`);
};
