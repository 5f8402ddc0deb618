import { EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { EventStoreUnavailable } from '../../src/eventstore/event-store.ts';
import { startTestNode } from '../support/servers/node.ts';
import { quietLogger } from '../support/quiet-logger.ts';

const node = await startTestNode();
afterAll(() => node.close());

const open = (appendMs?: number) => {
  const store = connectEventStore({
    url: node.url,
    logger: quietLogger(),
    ...(appendMs && { timeouts: { appendMs } }),
  });
  onTestFinished(() => store.close());
  return store;
};

test('OP-05: a probe appends to a stream of its own, of which only the newest event is kept', async () => {
  const store = open();
  const [first, second] = [await store.probe(), await store.probe()];
  for (const { asked, created, answered } of [first, second]) {
    expect(created).toBeGreaterThanOrEqual(asked);
    expect(created).toBeLessThanOrEqual(answered);
  }
  const client = EventStoreDBClient.connectionString(node.url);
  onTestFinished(() => client.dispose());
  const kept = [];
  for await (const { event } of client.readStream('$$readiness-probe')) kept.push(event);
  expect(kept).toMatchObject([{ type: '$metadata', revision: 1n }]);
});

test('OP-05: whoever reads the log, as proofs and exports do, sees no probe', async () => {
  const store = open();
  await store.probe();
  const seen = [];
  for await (const event of store.readLog({ after: null, signal: new AbortController().signal }))
    seen.push(event);
  expect(seen).toEqual([]);
});

test('OP-05: a probe that is not answered is given up, and the next one that is goes through', async () => {
  const store = open(2_000);
  await store.probe();
  node.faults.append({ kind: 'lost' });
  await expect(store.probe()).rejects.toThrow(EventStoreUnavailable);
  await expect(store.probe()).resolves.toBeDefined();
});
