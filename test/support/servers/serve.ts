import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A server for the test on a free port, closed at the end of the test.
 * @param atTheEnd `afterAll` for one that serves a whole file
 * @returns its origin
 */
export const serve = async (
  answer: RequestListener,
  atTheEnd: (close: () => void) => void = onTestFinished,
): Promise<string> => {
  const server = createServer(answer);
  const port = await listening(server, atTheEnd);
  atTheEnd(() => server.closeAllConnections());
  return `http://127.0.0.1:${port}`;
};

/** Lets a server listen on a free port until the end of the test. @returns the port */
export const listening = async (
  server: Server,
  atTheEnd: (close: () => void) => void = onTestFinished,
): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atTheEnd(() => void server.close());
  return (server.address() as AddressInfo).port;
};
