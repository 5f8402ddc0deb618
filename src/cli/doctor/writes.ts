import { explainAppend, explainWrite } from '../../observability/readiness/server-probes.ts';
import { type AppendProbe, RightMissing } from '../../eventstore/event-store.ts';
import { makeWritePool } from '../../projections/database/write-pool.ts';
import { makeWriteProbe, NoWrite } from '../../projections/database/write-probe.ts';
import { judgeClock, noTable, withTables } from './database.ts';
import type { WithLog } from './event-store.ts';
import { failure, ok, type Finding, type Check } from './finding.ts';

/** The same write tests as readiness makes (ADR 39): a write at each server, and its clock. */
export const writeChecks = (databaseUrl: string | null, withLog: WithLog | null): readonly Check[] => [
  ...(withLog ? [{ check: ofEventStore, run: () => withLog(tryAppend) }] : []),
  ...(databaseUrl
    ? [
        {
          check: ofDatabase,
          run: () => withTables(databaseUrl, () => tryWrite(databaseUrl)),
        },
      ]
    : []),
];

const ofEventStore = 'writes of the event store';
const ofDatabase = 'writes of the database';

const tryAppend = async (log: AppendProbe): Promise<readonly Finding[]> => {
  try {
    const time = await log.probe();
    return [ok(ofEventStore, 'an append succeeded'), judgeClock('clock of the event store', time)];
  } catch (error) {
    if (error instanceof RightMissing) return []; // the check of the account names it
    return [failure(ofEventStore, explainAppend(error), 'see the disk and the log of the event store')];
  }
};

const adviceOf: ReadonlyMap<string, string> = new Map([
  ['53100', 'make room on the disk of the database'],
  ['25006', 'set DATABASE_URL to the server that accepts writes'],
]);

const tryWrite = async (databaseUrl: string): Promise<Finding> => {
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const pool = makeWritePool({ databaseUrl, logger, connections: 1 });
  try {
    await makeWriteProbe(pool, 'doctor')();
    return ok(ofDatabase, 'a write succeeded');
  } catch (error) {
    if (error instanceof NoWrite && error.code === noTable) throw error;
    const advice = error instanceof NoWrite ? adviceOf.get(error.code) : undefined;
    return failure(ofDatabase, explainWrite(error), advice ?? 'see the log of the database');
  } finally {
    await pool.end();
  }
};
