import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { startNotifyingOfRecords } from '../../src/signals/records/notify-of-records.ts';
import { eventually } from '../support/eventually.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

type Trusted = Parameters<typeof startNotifyingOfRecords>[0]['trusted'];

/** Notifies from a database that is away. */
const start = (trusted: Trusted) => {
  let isBack = false;
  const tried = { away: 0, there: 0 };
  const client = { query: () => Promise.resolve({ rows: [] }), release: () => undefined };
  const connect = () => {
    tried[isBack ? 'there' : 'away'] += 1;
    return isBack ? Promise.resolve(client) : Promise.reject(new Error('the database is away'));
  };
  const logger = quietLogger();
  const notifying = startNotifyingOfRecords({
    pool: { connect, query: client.query } as unknown as Pool,
    issuer: 'https://grantbook.example',
    intervalMs: 1,
    now: () => 0,
    trusted,
    logger,
  });
  return {
    tried,
    lines: logger.lines,
    stop: () => notifying.stop(),
    back: (is: boolean) => void (isBack = is),
  };
};

test('AP-06: an outage of the database is logged once, and the looks go on', async () => {
  expectTrouble(/could not look .*the database is away/);
  const { tried, lines, back, stop } = start(() => true);
  await eventually(() => expect(tried.away).toBeGreaterThan(2));
  expect(lines).toHaveLength(1);
  back(true);
  await eventually(() => expect(tried.there).toBeGreaterThan(0));
  back(false);
  await eventually(() => expect(lines).toHaveLength(2));
  await stop();
});

test('AP-06: nobody looks before the fence is trusted', async () => {
  let asked = 0;
  const { tried, stop } = start(() => {
    asked += 1;
    return false;
  });
  await eventually(() => expect(asked).toBeGreaterThan(1));
  await stop();
  expect(tried).toEqual({ away: 0, there: 0 });
});
