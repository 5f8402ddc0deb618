import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atTheEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
