import { Agent, request as open, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request as it goes over the wire: nothing is encoded, added or put right. */
export type Sent = {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
};

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type Wire = { send(sent: Sent): Promise<Answer>; close(): void };

/** Speaks HTTP to one server over connections that stay open. */
export const openWire = (baseUrl: string): Wire => {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(baseUrl);
  const send = ({ method, target, headers, body }: Sent): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const sending = open({
        agent,
        hostname,
        port,
        method,
        path: target,
        headers: { ...length, ...headers },
      });
      sending.on('error', reject);
      sending.on('response', (incoming) => {
        text(incoming).then(
          (read) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: read }),
          reject,
        );
      });
      sending.end(body);
    });
  return { send, close: () => agent.destroy() };
};
