import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { letGoWhenClosing } from '../../src/http/let-go.ts';

/** A server whose only answer is held back until `answer` is called. */
const startServer = async () => {
  const app = fastify();
  letGoWhenClosing(app);
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  const asked = new Promise<void>((resolve) => {
    app.get('/held', async () => {
      resolve();
      await held;
      return 'the whole answer';
    });
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const open = async (): Promise<Socket> => {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await Promise.all([once(socket, 'connect'), once(app.server, 'connection')]);
    return socket;
  };
  return { app, open, answer, asked };
};

/** Everything that arrives until the other side ends it. */
const readAll = async (socket: Socket): Promise<string> => {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(socket, 'close');
  return text;
};

test('closing waits for an answer that is under way, and then for no connection that is kept alive', async () => {
  const { app, open, answer, asked } = await startServer();
  const socket = await open();
  const seen = readAll(socket);
  socket.write('GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await asked;
  const closed = app.close();
  answer();
  await closed;
  expect(await seen).toMatch(/^HTTP\/1\.1 200 OK[^]*\r\n\r\nthe whole answer$/);
});

test('closing does not wait for a connection on which nothing was ever asked', async () => {
  const { app, open } = await startServer();
  const socket = await open();
  const seen = readAll(socket);
  await app.close();
  expect(await seen).toBe('');
});

test('closing does not wait for a client that left before its answer', async () => {
  const { app, open, answer, asked } = await startServer();
  const socket = await open();
  socket.write('GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await asked;
  const seen = readAll(await open());
  socket.destroy();
  const closed = app.close();
  answer();
  await closed;
  expect(await seen).toBe('');
});
