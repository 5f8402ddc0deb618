import { expect, test } from 'vitest';
import { bodies, heldRoute, readAll, startEdgeServer } from '../../support/servers/edge-server.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const halfABody = 'POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf';

test('DO-01: closing waits for an answer that is under way, and then for no connection that is kept alive', async () => {
  const held = heldRoute();
  const { app, stopping, open } = await startEdgeServer(held);
  const socket = await open();
  const seen = readAll(socket);
  socket.write(get('/held'));
  await held.asked;
  stopping.abort();
  const closed = app.close();
  held.answer();
  await closed;
  const answer = await seen;
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK[^]*\r\n\r\nthe whole answer$/);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
});

test('closing does not wait for a connection on which nothing was ever asked', async () => {
  const { app, open } = await startEdgeServer();
  const seen = readAll(await open());
  await app.close();
  expect(await seen).toBe('');
});

test('closing does not wait for a client that left before its answer', async () => {
  const held = heldRoute();
  const { app, open } = await startEdgeServer(held);
  const socket = await open();
  socket.write(get('/held'));
  await held.asked;
  const seen = readAll(await open());
  socket.destroy();
  const closed = app.close();
  held.answer();
  await closed;
  expect(await seen).toBe('');
});

test('a half-sent body, half-sent headers and an answer that never comes do not keep the server from closing', async () => {
  const held = heldRoute();
  const { app, open } = await startEdgeServer({
    routes: (server) => {
      held.routes(server);
      bodies(server);
    },
  });
  const sockets = await Promise.all([open(), open(), open()]);
  const [body, headers, waiting] = sockets;
  const seen = sockets.map(readAll);
  body?.write(halfABody);
  headers?.write('GET /x HTTP/1.1\r\nHost: loc');
  waiting?.write(get('/held'));
  await held.asked;
  await app.close();
  expect(await Promise.all(seen)).toEqual(['', '', '']);
});

test('OP-03: from the announcement of a stop on, every answer says Connection: close and new connections are still served', async () => {
  const held = heldRoute();
  const { stopping, open } = await startEdgeServer(held);
  const waiting = await open();
  const seen = readAll(waiting);
  waiting.write(get('/held'));
  await held.asked;
  stopping.abort();
  const later = await open();
  const seenLater = readAll(later);
  later.write(get('/nowhere'));
  expect(await seenLater).toMatch(/^HTTP\/1\.1 404 [^]*\r\nconnection: close\r\n/i);
  held.answer();
  expect(await seen).toMatch(/^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n/i);
});
