import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startNode } from '#eventstore-node';
import { accountStream } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { patient } from '../support/servers/test-event-store.ts';
import { freshDatabase } from '../support/servers/databases.ts';
import { quietLogger } from '../support/quiet-logger.ts';

test('appends and a subscription go on when the event store comes back', async () => {
  const database = await freshDatabase();
  const before = await startNode({ databaseUrl: database.url });
  const store = connectEventStore({
    url: before.url,
    timeouts: patient,
    logger: quietLogger(),
  });
  const append = (at: number) =>
    store.append(accountStream(randomUUID().replaceAll('-', '')), 'no-stream', [
      { event: { type: 'AccountDisabled', data: { epoch: 1, at } } },
    ]);
  const seen: number[] = [];
  const following = (async () => {
    const { signal } = new AbortController();
    for await (const message of store.subscribe({ after: null, eventTypes: ['AccountDisabled'], signal })) {
      if (message.kind !== 'event' || message.event.event.type !== 'AccountDisabled') continue;
      seen.push(message.event.event.data.at);
      if (seen.length === 4) break;
    }
  })();
  await append(1);
  await before.close();
  const meanwhile = Promise.all([append(2), append(3)]);
  const after = await startNode({ databaseUrl: database.url, port: before.port });
  expect((await meanwhile).every(({ ok }) => ok)).toBe(true);
  await append(4);
  await following;
  expect(new Set(seen)).toEqual(new Set([1, 2, 3, 4]));
  await store.close();
  await after.close();
  await database.drop();
});
