import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A SET as it came, not yet checked. `at` in milliseconds since the Unix epoch. */
export type Pushed = { readonly set: string; readonly at: number };

/** The add-on's endpoint for pushes (RFC 8935): it keeps each SET before it answers 202. */
export const startPushReceiver = async () => {
  const authorization = `Bearer ${randomBytes(16).toString('base64url')}`;
  const pushed: Pushed[] = [];
  const server = createServer((request, response) => {
    void text(request).then((set) => {
      const isOurs = request.method === 'POST' && request.headers.authorization === authorization;
      if (isOurs) pushed.push({ set, at: Date.now() });
      response.writeHead(isOurs ? 202 : 401).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/signals`,
    /** What the service has to send with each push. */
    authorization,
    /** The oldest that was not taken; undefined if there is none. */
    take: () => pushed.shift(),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
