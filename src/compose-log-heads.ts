import { setTimeout as delay } from 'node:timers/promises';
import type { SignJws } from './audit/jws.ts';
import type { LogHead } from './audit/log-heads/log-head.ts';
import { newestHead, type LoggedHead } from './audit/log-heads/read-heads.ts';
import { signHead } from './audit/log-heads/sign-head.ts';
import type { EventStore, LogReader, Position } from './eventstore/event-store.ts';
import type { Term } from './projections/leader.ts';
import { startLed, type Led, type LedNeeds, type Progress } from './projections/led.ts';
import {
  logTreeOf,
  readLogTree,
  selectLogTree,
  writeLogTree,
  type LogTreeRow,
} from './projections/log-tree-table.ts';
import type { Logger, ReadLane } from './projections/read-lane.ts';

export type LogHeads = {
  /** The newest in the log, not checked; null for none. */
  newest(): Promise<LoggedHead | null>;
  /** @throws LogChanged, Interrupted */
  sign(signal: AbortSignal): Promise<LogHead | null>;
};

type Needs = {
  readonly store: Pick<EventStore, 'append'> & LogReader;
  readonly sign: SignJws;
  readonly now: () => number;
};

/** For whoever does not lead: begins with what the leader has kept, and keeps nothing. */
export const makeLogHeads = ({ lane, ...needs }: Needs & { readonly lane: ReadLane }): LogHeads => {
  const load = async () => logTreeOf(await lane.query(selectLogTree, []));
  return {
    newest: async () => newestHead(needs.store, await load()),
    sign: (signal) => signHead({ ...needs, load }, signal),
  };
};

export type LogHeadWorkerNeeds = Needs & {
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly intervalMs: number;
  readonly bounds?: LedNeeds['bounds'];
};

/** So often it is looked whether somebody has signed one on demand. */
const lookEvery = 60_000;

/** Signs a head of the log whenever the last one, or the first event, is as old as the interval; one instance at a time. */
export const startLogHeads = (needs: LogHeadWorkerNeeds): Led =>
  startLed({
    databaseUrl: needs.databaseUrl,
    name: 'log-heads',
    logger: needs.logger,
    ...(needs.bounds && { bounds: needs.bounds }),
    work: (term, progressed) => signInTime(needs, term, progressed),
  });

const signInTime = async (
  { store, sign, now, intervalMs }: LogHeadWorkerNeeds,
  { tx, lease, position, signal }: Term,
  progressed: Progress,
): Promise<void> => {
  let kept: Position | null = position;
  const load = () => readLogTree(tx);
  const save = async (row: LogTreeRow): Promise<void> => {
    await writeLogTree(tx, lease, kept, row);
    kept = row.position;
    progressed(kept, false);
  };
  const begunAt = makeBegunAt(store);
  while (!signal.aborted) {
    const since = (await newestHead(store, await load()))?.at ?? (await begunAt(signal)) ?? now();
    const wait = since + intervalMs - now();
    if (wait <= 0) await signHead({ store, sign, now, load, save }, signal);
    progressed(kept, true);
    await delay(Math.max(0, Math.min(wait, lookEvery)), undefined, { signal }).catch(() => undefined);
  }
};

/** When the first event of the log was stored, so that a service that is often started again signs in time too. */
const makeBegunAt = (log: LogReader) => {
  let known: number | null = null;
  return async (signal: AbortSignal): Promise<number | null> => {
    if (known !== null) return known;
    for await (const { created } of log.readLog({ after: null, signal })) return (known = created);
    return null;
  };
};
