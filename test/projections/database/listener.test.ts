import { notifyOn } from '../../../src/projections/database/installation.ts';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startListening } from '../../../src/projections/database/listener.ts';
import { migratedDatabase, serverOf, urlThrough } from '../../support/servers/databases.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { startTcpProxy } from '../../support/servers/tcp-proxy.ts';
import { allowTrouble, expectTrouble } from '../../support/trouble/expect-trouble.ts';

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
  await expect.poll(() => connected).toBeGreaterThan(0);
  proxy.freeze();
  const [known, before] = [logger.lines.length, connected];
  await expect
    .poll(() => logger.lines.slice(known).map(({ message }) => message))
    .toContain('the connection that listens for notifications was lost'); // nobody has cut it
  proxy.thaw();
  await expect.poll(() => connected).toBeGreaterThan(before);
  const notified = async () => {
    await client.query(`select ${notifyOn('signals', `'S1'`)}`);
    return heard;
  };
  await expect.poll(notified).toContain('S1');
});

test('FX-38: a process that stood still for longer than the silence keeps its connection, whose answer is there', async () => {
  allowTrouble(/the connection that listens for notifications was lost/); // if it stands still again
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
  let atNextBeat: unknown;
  // Right after the question, so that the answer comes while nobody can read it.
  asked.mockImplementation(function (this: Client, ...question: unknown[]) {
    const answer: unknown = Reflect.apply(query, this, question);
    if (question[0] === 'select' && beats() === 1) setImmediate(standStill);
    if (question[0] === 'select' && beats() === 2) atNextBeat = { connected, lines: [...logger.lines] };
    return answer as never;
  });
  await expect.poll(() => atNextBeat).toEqual({ connected: 1, lines: [] });
});

const { query } = Client.prototype as unknown as { readonly query: (this: Client) => unknown };
const standStill = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
