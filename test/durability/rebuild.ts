import { Pool } from 'pg';
import { expect } from 'vitest';
import { composePersonal } from '../../src/compose/personal.ts';
import type { PersonalData } from '../../src/eventstore/codec/personal-data.ts';
import { askFacts } from '../../src/embedded/control-socket.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { historyGroup, historyProjections } from '../../src/projections/history/history.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { dumpTables, testReadModels } from '../support/log/read-models.ts';
import { projectAll } from '../support/log/test-projector.ts';
import type { SharedStores } from '../support/shared-settings.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';

/**
 * Builds all read models from the first event on, in an empty database, and compares them with those of the running
 * service, which may still be catching up. Checkpoints are not compared: each has its own.
 */
export const expectSameAsRebuilt = async (dataDir: string): Promise<void> => {
  const { databaseUrl = '', eventStoreUrl = '' } = (await askFacts(dataDir)) ?? {};
  const own = { personalDataKeys: null, dataDir };
  const personal = await composePersonal(own, { databaseUrl }, watchedLogger());
  try {
    await expectRebuilt({ databaseUrl, eventStoreUrl }, personal.data);
  } finally {
    await personal.close();
  }
};

/** The same for servers that are not embedded. */
export const expectRebuilt = async (
  { databaseUrl, eventStoreUrl }: SharedStores,
  personal: PersonalData,
): Promise<void> => {
  const live = new Pool({ connectionString: databaseUrl });
  const log = connectEventStore({ url: eventStoreUrl, logger: quietLogger(), personal });
  const rebuilt = await testReadModels();
  const compare = async () => {
    await projectAll(rebuilt.database.url, log);
    await projectAll(rebuilt.database.url, log, { projections: historyProjections, name: historyGroup });
    const [ours, theirs] = [await rebuilt.dump(), await dumpTables(live)];
    return differences(ours, theirs);
  };
  try {
    await expect.poll(compare, { interval: 100 }).toEqual([]);
  } finally {
    await log.close();
    await rebuilt.close();
    await live.end();
  }
};

type Dump = Readonly<Record<string, readonly object[]>>;

/** One line a row that is on one side only; the first few are enough to see what is wrong. */
const differences = (rebuilt: Dump, live: Dump): readonly string[] => {
  const tables = [...new Set([...Object.keys(rebuilt), ...Object.keys(live)])];
  const lines = tables
    .filter((table) => table !== 'checkpoints')
    .flatMap((table) => {
      const [ours, theirs] = [linesOf(rebuilt[table]), linesOf(live[table])];
      const only = (side: string, lines: Set<string>, others: Set<string>) =>
        [...lines].filter((line) => !others.has(line)).map((line) => `${table}, only ${side}: ${line}`);
      return [...only('rebuilt', ours, theirs), ...only('live', theirs, ours)];
    });
  return lines.slice(0, 10);
};

const linesOf = (rows: readonly object[] = []): Set<string> =>
  new Set(rows.map((row) => JSON.stringify(row)));
