import { setTimeout as delay } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import { depositHeads, type DepositTarget } from '../audit/deposits/deposit-heads.ts';
import { type LogHead, newestHead, type LoggedHead } from '../audit/log-heads/read-heads.ts';
import { growTree, signHead } from '../audit/log-heads/sign-head.ts';
import { openLogTree, type LogTree } from '../audit/log-tiles/log-tree.ts';
import type { Tile } from '../audit/log-tiles/tile.ts';
import type { EventStore, LogReader, Position } from '../eventstore/event-store.ts';
import type { Named, PipelinedReader } from '../projections/database/pipelined-reader.ts';
import {
  startLeaderElectedWorker,
  type LeaderElectedWorker,
  type LedDependencies,
  type Progress,
} from '../projections/leadership/leader-elected-worker.ts';
import type { Term } from '../projections/leadership/leader.ts';
import { makeDepositTable, type DepositTable } from '../projections/log-guard/head-deposits-table.ts';
import { makeCheckTable, type CheckTable } from '../projections/log-guard/log-checks-table.ts';
import {
  growTiles,
  makeTileTable,
  tileColumns,
  writeTiles,
} from '../projections/log-guard/log-tiles-table.ts';
import type { SignJws } from '../signing/sign-jws.ts';

export type LogHeads = {
  /** The newest in the log, not verified; null for none. */
  newest(): Promise<LoggedHead | null>;
  /** @throws LogChanged, Interrupted */
  sign(signal: AbortSignal): Promise<LogHead | null>;
  /** The tree over the log as of now, from the stored tiles on. @throws LogChanged, Interrupted */
  tree(signal: AbortSignal): Promise<LogTree>;
  keptTree(): Promise<LogTree>;
  /** Stores what was added to `keptTree`: what is stored only grows, whoever else adds to it. */
  keepTree(tree: LogTree): Promise<void>;
  /** How far the log was compared with its heads. */
  readonly checks: CheckTable;
  readonly deposits: Pick<DepositTable, 'list' | 'counts'>;
};

type Dependencies = {
  readonly store: Pick<EventStore, 'append' | 'read' | 'readBack'> & LogReader;
  readonly sign: SignJws;
  readonly now: () => number;
};

/** For instances that do not lead: it begins with the stored tiles, and signing stores none. */
export const makeLogHeads = ({
  reader,
  ...dependencies
}: Dependencies & { readonly reader: PipelinedReader }): LogHeads => {
  const tiles = makeTileTable((statement, values) => reader.query(statement, values));
  return {
    newest: () => newestHead(dependencies.store),
    sign: (signal) => signHead({ ...dependencies, tiles }, signal),
    tree: async (signal) => (await growTree({ ...dependencies, tiles }, signal)).tree,
    keptTree: () => openLogTree(tiles),
    keepTree: async (tree) => void (await reader.query(growTiles, tileColumns(tree.takeChanged()))),
    checks: makeCheckTable(reader),
    deposits: makeDepositTable((statement, values) => reader.query(statement, values)),
  };
};

export type LogHeadWorkerDependencies = LedDependencies &
  Dependencies & {
    readonly intervalMs: number;
    /** Where heads are kept outside; none by default. */
    readonly targets?: readonly DepositTarget[];
  };

/** How often tiles of new events are stored, and the log is checked for a head signed on demand. */
const lookEvery = 60_000;

/** Signs a head of the log whenever the last one, or the first event, is as old as the interval; one instance at a time. */
export const startLogHeads = (dependencies: LogHeadWorkerDependencies): LeaderElectedWorker =>
  startLeaderElectedWorker({
    ...dependencies,
    name: 'log-heads',
    work: (term, progressed) => signInTime(dependencies, term, progressed),
  });

const signInTime = async (
  { store, sign, now, logger, intervalMs, targets = [] }: LogHeadWorkerDependencies,
  { tx, lease, position, signal }: Term,
  progressed: Progress,
): Promise<void> => {
  let kept: Position | null = position;
  const query = async <R extends QueryResultRow>({ text }: Named, values: readonly unknown[]) =>
    (await tx.query<R>(text, [...values])).rows;
  const tiles = makeTileTable(query);
  const table = makeDepositTable(query);
  const save = async (changed: readonly Tile[], to: Position): Promise<void> => {
    await writeTiles(tx, lease, kept, to, changed);
    kept = to;
    progressed(kept, false);
  };
  const begunAt = makeBegunAt(store);
  while (!signal.aborted) {
    const { last, revision } = await growTree({ store, tiles, save }, signal);
    // After a copy, the log has heads but none over itself: a head is signed without waiting for the interval.
    const isNewCopy = last === null && revision !== 'no-stream';
    const since = isNewCopy ? -Infinity : (last?.at ?? (await begunAt(signal)) ?? now());
    const wait = since + intervalMs - now();
    if (wait <= 0) await signHead({ store, sign, now, tiles, save }, signal);
    await depositHeads({ store, table, targets, now, logger }, signal);
    progressed(kept, true);
    await delay(Math.max(0, Math.min(wait, lookEvery)), undefined, { signal }).catch(() => undefined);
  }
};

/** When the first event of the log was stored, so that a service that is often restarted signs in time too. */
const makeBegunAt = (log: LogReader) => {
  let known: number | null = null;
  return async (signal: AbortSignal): Promise<number | null> => {
    if (known !== null) return known;
    for await (const { created } of log.readLog({ after: null, signal })) return (known = created);
    return null;
  };
};
