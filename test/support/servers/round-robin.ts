import { once } from 'node:events';
import { Agent, createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy without sticky sessions: consecutive requests go to different instances. */
export type RoundRobin = {
  readonly url: string;
  /** The instances that get requests from now on; without any, all requests are answered with 502. */
  lead(to: readonly string[]): void;
  /** Number of requests that each instance got. */
  readonly served: ReadonlyMap<string, number>;
  /** The instances that got requests for a path, in order. */
  readonly servedAt: (path: string) => readonly string[];
  close(): Promise<void>;
};

export const startRoundRobin = async (): Promise<RoundRobin> => {
  const served = new Map<string, number>();
  const requests: { readonly path: string; readonly target: string }[] = [];
  const agent = new Agent({ keepAlive: true });
  let targets: readonly string[] = [];
  let turn = 0;
  const server = createServer((incoming, answer) => {
    const target = targets[turn++ % targets.length];
    if (target === undefined) return void answer.writeHead(502).end();
    requests.push({ path: (incoming.url ?? '').replace(/\?.*/, ''), target });
    served.set(target, (served.get(target) ?? 0) + 1);
    const headers = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress };
    const outgoing = forward(new URL(incoming.url ?? '/', target), {
      method: incoming.method,
      headers,
      agent,
    });
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.writeHead(502).end());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead: (to) => void (targets = to),
    served,
    servedAt: (path) => requests.filter((one) => one.path === path).map(({ target }) => target),
    async close() {
      agent.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
