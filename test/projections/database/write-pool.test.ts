import { afterEach, expect, test } from 'vitest';
import { inPoolTransaction } from '../../../src/common/transaction.ts';
import { withClient } from '../../../src/common/with-client.ts';
import { activationSubject } from '../../../src/domain/fence/fence.ts';
import { classifyFailure } from '../../../src/http/answers/failures.ts';
import { makeFence } from '../../../src/projections/fence/fence.ts';
import { makePipelinedReader } from '../../../src/projections/database/pipelined-reader.ts';
import { makeWritePool } from '../../../src/projections/database/write-pool.ts';
import { patience } from '../../support/patience.ts';
import { migratedDatabase, serverOf, urlThrough } from '../../support/servers/databases.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { startTcpProxy } from '../../support/servers/tcp-proxy.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A fence whose wire to the database can be frozen. */
const distantFence = async (timeoutMs = patience) => {
  const database = await migratedDatabase();
  closing.push(() => database.drop());
  const proxy = await startTcpProxy(serverOf(database.url));
  closing.push(() => proxy.close());
  const logger = quietLogger();
  const pool = makeWritePool({ databaseUrl: urlThrough(proxy, database.url), logger, timeoutMs });
  closing.push(async () => {
    if (!pool.ending) await pool.end();
  });
  const reader = makePipelinedReader({ databaseUrl: database.url, logger });
  closing.push(() => reader.close());
  return { fence: makeFence({ pool, reader }), pool, proxy, logger, url: database.url };
};

const subject = activationSubject('O1', 'A1');
const closedAt = (revision: bigint) => [{ subject, revision, epoch: 1, open: false }];
const failureOf = (call: Promise<unknown>) => call.then(() => 'written', classifyFailure);

test('G-07: a write of the fence over a database that stands still ends as unavailable, on old and new connections', async () => {
  const { fence, proxy } = await distantFence(300);
  await expect.poll(() => failureOf(fence.write(closedAt(1n)))).toBe('written');
  proxy.freeze();
  expect(await failureOf(fence.write(closedAt(2n)))).toBe('unavailable');
  expect(await failureOf(fence.write(closedAt(2n)))).toBe('unavailable');
  proxy.cut();
  await expect.poll(() => failureOf(fence.write(closedAt(3n)))).toBe('written');
  expect(await fence.read([subject])).toEqual(closedAt(3n));
});

test('FX-40: a connection that is lost while somebody holds it fails what comes next, and ends no process', async () => {
  const { pool, proxy } = await distantFence();
  const held = inPoolTransaction(pool, async (client) => {
    const lost = new Promise<void>((resolve) => client.once('end', resolve));
    proxy.cut();
    await lost; // without a listener, its error would have been thrown into the process
    return client.query('select 1');
  });
  expect(await failureOf(held)).toBe('unavailable');
  await expect.poll(() => failureOf(pool.query('select 1'))).toBe('written');
});

test('FX-40: what the server says to a connection of a pool that has ended is no trouble', async () => {
  const { pool, proxy, logger, url } = await distantFence();
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  proxy.freeze();
  const closed = new Promise((resolve) => void pool.once('remove', resolve));
  await pool.end(); // before its words have reached the server
  await withClient({ connectionString: url }, (client) =>
    client.query('select pg_terminate_backend($1)', [rows[0]?.pid]),
  );
  proxy.thaw();
  await closed;
  expect(logger.lines).toEqual([]);
});
