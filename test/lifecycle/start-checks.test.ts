import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EventStoreUnavailable, RightMissing } from '../../src/eventstore/event-store.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { reachEventStore } from '../../src/process/service-checks.ts';
import { addressAt, reachDatabase, unlessStopped } from '../../src/process/start-checks.ts';
import { listening } from '../support/servers/serve.ts';

const never = new AbortController().signal;
const logger = quietLogger();
const said = () => logger.lines.map(({ message }) => message);

/** An address where nobody listens. */
const nobody = 'esdb://user:hush@127.0.0.1:1?tls=true';
const head = () => Promise.reject(new EventStoreUnavailable('nobody at esdb://user:hush@there'));
const missingRights = () => Promise.resolve([]);
const away = { store: { head, missingRights }, url: nobody, logger };

test('an event store that stays away is reported at once and given up after a while, without its secrets', async () => {
  const sentence =
    /^the event store of EVENTSTORE_URL is not running: connection refused \(127\.0\.0\.1:1: ECONNREFUSED\): start it/;
  const givenUp = reachEventStore(away, never, 300).catch((error: Error) => error.message);
  await expect.poll(() => said().at(-1)).toMatch(sentence);
  expect(await givenUp).toMatch(sentence);
  expect(said().join()).not.toContain('hush');
  expect(said().join()).not.toMatch(/TLS|certificate/);
});

test('FX-46: while the start waits for the event store, it logs at most one line every 5 s', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const before = said().length;
  let asked = 0;
  const slow = () => {
    asked += 1;
    vi.setSystemTime(Date.now() + 2_000);
    return head();
  };
  const waiting = reachEventStore({ ...away, store: { missingRights, head: slow } }, never, 30_000);
  await expect(waiting).rejects.toThrow('is not running');
  expect(asked).toBeGreaterThan(14);
  expect(said().length - before).toBeLessThanOrEqual(6);
  expect(said().length - before).toBeGreaterThan(3);
});

test('an event store that comes a little later is good enough', async () => {
  let calls = 0;
  const late = {
    ...away,
    store: { missingRights, head: () => ((calls += 1) < 3 ? head() : Promise.resolve(null)) },
  };
  await reachEventStore(late, never);
  expect(calls).toBe(3);
});

test('FX-100: a right that a server denies because it has just begun to lead ends no start', async () => {
  let calls = 0;
  const fresh = () =>
    (calls += 1) < 2 ? Promise.reject(new RightMissing('read-all')) : Promise.resolve(null);
  await reachEventStore({ ...away, store: { missingRights, head: fresh } }, never, 30_000);
  expect(calls).toBe(2);
});

test('who is asked to stop no longer asks for the event store', async () => {
  const stopping = new AbortController();
  const asked = reachEventStore(away, stopping.signal, 3_600_000);
  stopping.abort();
  await expect(asked).rejects.toThrow('aborted');
});

test('FX-46: a database server that takes connections and never answers is named by its setting, meanwhile too', async () => {
  const sockets: Socket[] = [];
  const port = await listening(createServer((socket) => void sockets.push(socket)));
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const before = said().length;
  const asked = reachDatabase(`postgresql://u:hush@127.0.0.1:${port}/x`, logger, 500);
  vi.advanceTimersByTime(12_000);
  await expect(asked).rejects.toThrow(
    /^the server of DATABASE_URL cannot be reached \(no answer\): check that PostgreSQL is running/,
  );
  vi.advanceTimersByTime(12_000);
  const sentence = 'the server of DATABASE_URL does not answer; waiting for it';
  expect(said().slice(before)).toEqual([sentence, sentence]); // every 5 s, and no longer than it waits
});

test('what may never come is not waited for once the process is asked to stop', async () => {
  const stopping = new AbortController();
  const waiting = unlessStopped(stopping.signal, new Promise(() => undefined));
  stopping.abort();
  await expect(waiting).rejects.toThrow('asked to stop');
  await expect(unlessStopped(stopping.signal, new Promise(() => undefined))).rejects.toThrow('asked to stop');
  await expect(unlessStopped(never, Promise.resolve(1))).resolves.toBe(1);
});

test.each([
  ['LOCALHOST', 80, 'http://localhost'],
  ['0.0.0.0', 8080, 'http://127.0.0.1:8080'],
  ['::1', 8080, 'http://[::1]:8080'],
])('FX-63: without BASE_URL the address at %s and port %i is %s', (host, port, address) => {
  expect(addressAt(host, port)).toBe(address);
});
