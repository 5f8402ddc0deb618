import type pg from 'pg';
import { makeLostKeyTable } from '../../../src/personal/lost-key-table.ts';
import { makePersonalData } from '../../../src/personal/personal-data.ts';
import { makeSubjectKeyTable } from '../../../src/personal/subject-key-table.ts';
import { makeSubjectKeys } from '../../../src/personal/subject-keys.ts';
import type { MasterKeys } from '../../../src/personal/wrapped-key.ts';
import { makeWritePool } from '../../../src/projections/database/write-pool.ts';
import { quietLogger } from '../quiet-logger.ts';
import { patience } from '../patience.ts';

/** Thirty-two equal bytes: a reproducible key for fixtures. */
export const masterKey = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);

export const masters: MasterKeys = { current: 'm1', keys: new Map([['m1', masterKey(1)]]) };

/** The keys of persons on a migrated database, as in one instance. */
export const testPersonal = (
  databaseUrl: string,
  given: MasterKeys = masters,
  isErasedInLog: (subject: string) => Promise<boolean> = () => Promise.resolve(false),
) => {
  const pool = makeWritePool({ databaseUrl, logger: quietLogger(), connections: 2, timeoutMs: patience });
  const statements: unknown[] = [];
  const alarms: string[] = [];
  const ask = pool.query.bind(pool) as (...args: readonly unknown[]) => unknown;
  const counted = Object.assign(Object.create(pool) as pg.Pool, {
    query: (...args: readonly unknown[]) => {
      statements.push(args[0]);
      return ask(...args);
    },
  });
  const table = makeSubjectKeyTable(counted);
  const keys = makeSubjectKeys({
    table,
    masters: given,
    lost: makeLostKeyTable(counted),
    isErasedInLog,
    foundLost: (subject) => void alarms.push(subject),
  });
  return {
    data: makePersonalData(keys),
    keys,
    table,
    pool,
    /** Ids of persons whose keys were reported lost. */
    alarms: alarms as readonly string[],
    /** Database statements so far. */
    statements: statements as readonly unknown[],
    close: () => pool.end(),
  };
};
