import { notifyOn } from '../../../src/projections/database/installation.ts';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startListening } from '../../../src/projections/database/listener.ts';
import { migratedDatabase, serverOf, urlThrough } from '../../support/servers/databases.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { startTcpProxy } from '../../support/servers/tcp-proxy.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

test('SG-07: a connection whose route is gone without a word is replaced, and what comes then is heard', async () => {
  expectTrouble(/the connection that listens for notifications was lost/);
  const database = await migratedDatabase();
  onTestFinished(() => database.drop());
  const proxy = await startTcpProxy(serverOf(database.url));
  onTestFinished(() => proxy.close());
  const client = new Client(database.url);
  await client.connect();
  onTestFinished(() => client.end());
  const heard: string[] = [];
  const logger = quietLogger();
  let connected = 0;
  const listening = startListening({
    databaseUrl: urlThrough(proxy, database.url),
    logger,
    heartbeat: { everyMs: 20, silenceMs: 500 },
  });
  listening.on('signals', {
    heard: (payload) => heard.push(payload),
    connected: () => Promise.resolve(void (connected += 1)),
  });
  onTestFinished(() => listening.close());
  await expect.poll(() => connected).toBe(1);
  proxy.freeze();
  await expect
    .poll(() => logger.lines.map(({ message }) => message))
    .toContain('the connection that listens for notifications was lost'); // nobody has cut it
  proxy.thaw();
  await expect.poll(() => connected).toBe(2);
  await client.query(`select ${notifyOn('signals', `'S1'`)}`);
  await expect.poll(() => heard).toEqual(['S1']);
});

test('FX-38: a process that stood still for longer than the silence keeps its connection, whose answer is there', async () => {
  const database = await migratedDatabase();
  onTestFinished(() => database.drop());
  const logger = quietLogger();
  const asked = vi.spyOn(Client.prototype, 'query');
  onTestFinished(() => asked.mockRestore());
  let connected = 0;
  const listening = startListening({
    databaseUrl: database.url,
    logger,
    heartbeat: { everyMs: 20, silenceMs: 200 },
  });
  listening.on('signals', {
    heard: () => undefined,
    connected: () => Promise.resolve(void (connected += 1)),
  });
  onTestFinished(() => listening.close());
  const beats = () => asked.mock.calls.filter(([text]) => (text as unknown) === 'select').length;
  // Right after the question, so that the answer comes while nobody can read it.
  asked.mockImplementation(function (this: Client, ...question: unknown[]) {
    const answer: unknown = Reflect.apply(query, this, question);
    if (question[0] === 'select' && beats() === 1) setImmediate(standStill);
    return answer as never;
  });
  await expect.poll(beats).toBeGreaterThan(3);
  expect([connected, logger.lines]).toEqual([1, []]);
});

const { query } = Client.prototype as unknown as { readonly query: (this: Client) => unknown };
const standStill = () => {
  for (const began = performance.now(); performance.now() < began + 500;);
};
