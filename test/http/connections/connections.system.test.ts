import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { mostPipelined } from '../../../src/http/connections/make-server.ts';
import { bodies, heldRoute, readAll, startEdgeServer } from '../../support/servers/edge-server.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const firstAnswer = async (socket: Socket): Promise<string> =>
  ((await once(socket, 'data')) as [Buffer])[0].toString();
const ask = async (socket: Socket, path = '/nowhere'): Promise<string> => {
  const answer = firstAnswer(socket);
  socket.write(get(path));
  return answer;
};

test('FX-74: KEEP_ALIVE_TIMEOUT sets how long an idle connection stays', async () => {
  const { app, open } = await startEdgeServer({ config: { keepAliveTimeout: 5_000 } });
  expect(app.server.keepAliveTimeout).toBe(5_000);
  expect(await ask(await open())).toMatch(/^Keep-Alive: timeout=5\r$/im);
});

describe('DO-01: at the limit of connections', () => {
  test('the address that holds most loses its oldest idle connection, and a new one of another address is served', async () => {
    const { open, table } = await startEdgeServer({ maxConnections: 4 });
    const oldest = await open('127.0.0.2');
    const ended = once(oldest, 'close');
    const others = [await open('127.0.0.2'), await open('127.0.0.2'), await open('127.0.0.2')];
    const health = await open('127.0.0.1');
    expect(await ask(health)).toMatch(/^HTTP\/1\.1 404 /);
    await ended;
    expect(table.count()).toBe(4);
    for (const other of others) expect(await ask(other)).toMatch(/^HTTP\/1\.1 404 /);
    expect(table.closed).toEqual({ limit: 1, timeout: 0, stalled: 0 });
  });

  test('an idle connection goes before one that waits for its answer, however old that is', async () => {
    const held = heldRoute();
    const { open } = await startEdgeServer({ maxConnections: 2, ...held });
    const waiting = await open('127.0.0.2');
    const answer = firstAnswer(waiting);
    waiting.write(get('/held'));
    await held.asked;
    const idle = await open('127.0.0.2');
    const ended = once(idle, 'close');
    await open('127.0.0.1');
    await ended;
    held.answer();
    expect(await answer).toMatch(/the whole answer$/);
  });

  test('a half-sent request goes before one that waits for its answer', async () => {
    const held = heldRoute();
    const { open, table } = await startEdgeServer({
      maxConnections: 2,
      routes: (server) => {
        held.routes(server);
        bodies(server);
      },
    });
    const waiting = await open('127.0.0.2');
    const answer = firstAnswer(waiting);
    waiting.write(get('/held'));
    await held.asked;
    const half = await open('127.0.0.2');
    half.write('POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Length: 10\r\n\r\nhalf');
    await expect.poll(() => [...table.all()].map(({ pending }) => pending.length)).toEqual([1, 1]);
    const ended = once(half, 'close');
    await open('127.0.0.1');
    await ended;
    held.answer();
    expect(await answer).toMatch(/the whole answer$/);
  });

  test('a trusted proxy keeps more connections than any other address', async () => {
    const config = { trustedProxies: ['127.0.0.3'] };
    const { open } = await startEdgeServer({ maxConnections: 5, config });
    const ofProxy = [await open('127.0.0.3'), await open('127.0.0.3'), await open('127.0.0.3')];
    const other = await open('127.0.0.2');
    const ended = once(other, 'close');
    await open('127.0.0.2');
    await open('127.0.0.1');
    await ended;
    for (const socket of ofProxy) expect(await ask(socket)).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe('DO-01: what does not arrive', () => {
  const post = 'POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\n';

  test.each([
    ['nothing at all', '', /^HTTP\/1\.1 408 [^]*request-timeout/],
    ['half a header', 'GET /x HTTP/1.1\r\nHos', /^HTTP\/1\.1 408 [^]*request-timeout/],
    ['half a body', `${post}Content-Length: 10\r\n\r\nhalf`, /^HTTP\/1\.1 408 [^]*request-timeout/],
    ['chunks without an end', `${post}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`, /^HTTP\/1\.1 408 /],
    ['half a chunk', `${post}Transfer-Encoding: chunked\r\n\r\nff\r\nx`, /^HTTP\/1\.1 408 /],
    [
      'no body after 100 Continue',
      `${post}Expect: 100-continue\r\nContent-Length: 10\r\n\r\n`,
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 408 /,
    ],
    [
      'half a body of a request that has its answer',
      'PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf',
      /^HTTP\/1\.1 405 (?![^]*HTTP\/1\.1)/,
    ],
  ])('%s ends with the time-out', async (_name, said, answer) => {
    const { open, table } = await startEdgeServer({ config: { requestTimeout: 600 }, routes: bodies });
    const socket = await open();
    const seen = readAll(socket);
    socket.write(said);
    expect(await seen).toMatch(answer);
    await expect.poll(() => table.count()).toBe(0);
  });

  test('one byte after the other ends with it, too', async () => {
    const { open } = await startEdgeServer({ config: { requestTimeout: 300 }, routes: bodies });
    const socket = await open();
    const seen = readAll(socket);
    socket.write(`${post}Content-Length: 1000\r\n\r\n`);
    const drip = setInterval(() => socket.write('x'), 20);
    expect(await seen.finally(() => clearInterval(drip))).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe('DO-02: a client that does not read', () => {
  const large = Buffer.alloc(16 * 1024 * 1024, 'x');
  const routes = (server: { get: (url: string, answer: () => Promise<Buffer>) => unknown }) =>
    void server.get('/large', () => Promise.resolve(large));

  test('is cut off when its answer makes no progress', async () => {
    const { open, table } = await startEdgeServer({ config: { requestTimeout: 200 }, routes });
    const socket = await open();
    socket.pause();
    socket.write(get('/large'));
    await expect.poll(() => table.closed.stalled).toBe(1);
    await expect.poll(() => table.count()).toBe(0);
  });

  test('is not, as long as it reads some of it now and then', async () => {
    // A third of the limit without a byte is much longer than a busy machine lets a process wait.
    const requestTimeout = 2_500;
    const { open, table } = await startEdgeServer({ config: { requestTimeout }, routes });
    const socket = await open();
    const readsAllAt = performance.now() + 2 * requestTimeout;
    let read = 0;
    socket.on('data', (chunk: Buffer) => {
      read += chunk.length;
      if (performance.now() > readsAllAt) return;
      socket.pause();
      setTimeout(() => socket.resume(), 15);
    });
    socket.write(get('/large'));
    await expect.poll(() => read).toBeGreaterThan(large.length);
    expect(table.closed.stalled).toBe(0);
  });

  test('is owed one answer at a time, however many requests it sends in one packet', async () => {
    const held = heldRoute();
    let begun = 0;
    const { open } = await startEdgeServer({
      routes: (server) => {
        held.routes(server);
        server.addHook('onRequest', (_request, _reply, done) => {
          begun += 1;
          done();
        });
      },
    });
    const socket = await open();
    let seen = '';
    socket.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    socket.write(get('/held') + get('/nowhere').repeat(9));
    await held.asked;
    expect(begun).toBe(1);
    held.answer();
    await expect.poll(() => seen.match(/HTTP\/1\.1 (200|404)/g)?.length).toBe(10);
    expect(begun).toBe(10);
  });

  test('and is cut off when too many wait', async () => {
    const held = heldRoute();
    const { open } = await startEdgeServer(held);
    const socket = await open();
    const seen = readAll(socket);
    socket.write(get('/held') + get('/nowhere').repeat(mostPipelined));
    expect(await seen).toBe('');
  });
});
