import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The add-on's redirect URI: a page on a loopback port, as in RFC 8252 §7.3 for native apps. The add-on is registered
 * with `http://127.0.0.1/callback`, and any port of that address is allowed.
 */
export const startCallbackServer = async (): Promise<{
  readonly redirectUri: string;
  close(): Promise<void>;
}> => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<!doctype html><title>Back</title><h1>Back at the add-on</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
