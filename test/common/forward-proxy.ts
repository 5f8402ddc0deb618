import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { listening } from '../support/servers/serve.ts';

type Options = {
  /** `user:password` that it wants; without these it answers 407. */
  readonly credentials?: string;
  /** Answers every request with this status. */
  readonly refusal?: number;
};

/** A forward proxy on this machine until the end of the test (RFC 9110 §9.3.6). Every destination is the server at `target`. */
export const startForwardProxy = async (
  target: string,
  { credentials, refusal }: Options = {},
  atTheEnd: (close: () => void) => void = onTestFinished,
) => {
  const asked: string[] = [];
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  const refusalOf = (given: string | undefined) => refusal ?? (expected && given !== expected ? 407 : null);
  const { hostname, port: targetPort } = new URL(target);
  const server = createServer((incoming, answer) => {
    const { method, url = '', headers } = incoming;
    asked.push(`${method} ${url}`);
    const status = refusalOf(headers['proxy-authorization']);
    if (status !== null) return void answer.writeHead(status).end();
    const { pathname, search } = new URL(url);
    const options = { method, headers, host: hostname, port: targetPort, path: pathname + search };
    incoming.pipe(
      request(options, (found) => found.pipe(answer.writeHead(found.statusCode ?? 502, found.headers))),
    );
  });
  server.on('connect', ({ url, headers }, near) => {
    asked.push(`CONNECT ${url}`);
    const status = refusalOf(headers['proxy-authorization']);
    near.on('error', () => undefined);
    if (status !== null) return void near.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const far = connect(Number(targetPort), hostname, () => {
      near.write('HTTP/1.1 200 Connected\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    atTheEnd(() => far.destroy());
  });
  const port = await listening(server, atTheEnd);
  atTheEnd(() => server.closeAllConnections());
  return { asked, url: `http://${credentials ? `${credentials}@` : ''}127.0.0.1:${port}`, port };
};
