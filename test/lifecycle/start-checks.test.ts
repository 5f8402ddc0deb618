import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { EventStoreUnavailable } from '../../src/eventstore/event-store.ts';
import { reachDatabase, reachEventStore, unlessStopped } from '../../src/start-checks.ts';

const away = { head: () => Promise.reject(new EventStoreUnavailable('nobody at esdb://user:hush@there')) };
const never = new AbortController().signal;

test('an event store that stays away is named by its setting after a while, without its secrets', async () => {
  await expect(reachEventStore(away, never, 1)).rejects.toThrow(
    /^the server of EVENTSTORE_URL cannot be reached \(no answer\)$/,
  );
});

test('an event store that comes a little later is good enough', async () => {
  let calls = 0;
  const late = { head: () => ((calls += 1) < 3 ? away.head() : Promise.resolve(null)) };
  await reachEventStore(late, never);
  expect(calls).toBe(3);
});

test('who is told to stop no longer asks for the event store', async () => {
  const stopping = new AbortController();
  const asked = reachEventStore(away, stopping.signal, 3_600_000);
  stopping.abort();
  await expect(asked).rejects.toThrow('aborted');
});

test('a database server that takes connections and never answers is named by its setting', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const sockets: Socket[] = [];
  silent.on('connection', (socket) => sockets.push(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  await expect(reachDatabase(`postgresql://u:hush@127.0.0.1:${port}/x`, 50)).rejects.toThrow(
    /^the server of DATABASE_URL cannot be reached \(no answer\)$/,
  );
});

test('what may never come is not waited for once the process is told to stop', async () => {
  const stopping = new AbortController();
  const waiting = unlessStopped(stopping.signal, new Promise(() => undefined));
  stopping.abort();
  await expect(waiting).rejects.toThrow('told to stop');
  await expect(unlessStopped(stopping.signal, new Promise(() => undefined))).rejects.toThrow('told to stop');
  await expect(unlessStopped(never, Promise.resolve(1))).resolves.toBe(1);
});
