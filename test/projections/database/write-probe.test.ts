import { afterAll, expect, test } from 'vitest';
import { makeWritePool } from '../../../src/projections/database/write-pool.ts';
import { makeWriteProbe } from '../../../src/projections/database/write-probe.ts';
import { migratedDatabase } from '../../support/servers/databases.ts';

const database = await migratedDatabase();
afterAll(() => database.drop());

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const withPool = async (use: (pool: ReturnType<typeof makeWritePool>) => Promise<void>) => {
  const pool = makeWritePool({ databaseUrl: database.url, logger: silent, connections: 1 });
  try {
    await use(pool);
  } finally {
    await pool.end();
  }
};

test('OP-05: a probe writes one row of its instance, in a transaction that needs room on the disk', () =>
  withPool(async (pool) => {
    const filesOf = async () => {
      const { rows } = await pool.query<{ files: string }>(
        `select temp_files as files from pg_stat_database where datname = current_database()`,
      );
      return Number(rows[0]?.files);
    };
    const before = await filesOf();
    const probe = makeWriteProbe(pool, "host's:1");
    for (let time = 0; time < 2; time++) {
      const { asked, created, answered } = await probe();
      expect(created).toBeGreaterThanOrEqual(asked);
      expect(created).toBeLessThanOrEqual(answered);
    }
    const { rows } = await pool.query('select instance from write_probes');
    expect(rows).toEqual([{ instance: "host's:1" }]);
    await expect.poll(filesOf).toBeGreaterThan(before);
  }));

test('OP-05: a database that does not accept writes is reported with its code, and works again afterwards', () =>
  withPool(async (pool) => {
    const probe = makeWriteProbe(pool, 'host:3');
    await pool.query('set default_transaction_read_only to on');
    await expect(probe()).rejects.toMatchObject({ name: 'NoWrite', code: '25006' });
    await expect(probe(), 'on another connection').resolves.toBeDefined();
  }));
