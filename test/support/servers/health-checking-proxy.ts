import { once } from 'node:events';
import { Agent, createServer, type IncomingHttpHeaders, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that sends requests only to instances that report ready. It never retries a request. */
export type HealthCheckingProxy = {
  readonly url: string;
  /** Checks these instances from now on, and sends them requests once they are ready. */
  lead(to: readonly string[]): void;
  readonly isHealthy: (target: string) => boolean;
  close(): Promise<void>;
};

const lookEvery = 100;

/** Removes headers of the connection (RFC 9110 §7.6.1). */
const withoutHops = ({
  connection: _c,
  'keep-alive': _k,
  'transfer-encoding': _t,
  ...rest
}: IncomingHttpHeaders) => rest;

export const startHealthCheckingProxy = async (): Promise<HealthCheckingProxy> => {
  const agent = new Agent({ keepAlive: true });
  const healthy = new Set<string>();
  let targets: readonly string[] = [];
  let turn = 0;
  const look = async (target: string): Promise<void> => {
    const isReady = await fetch(`${target}/health/ready`, { headers: { connection: 'close' } }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady && targets.includes(target)) healthy.add(target);
    else healthy.delete(target);
  };
  const looking = setInterval(() => void targets.map(look), lookEvery);
  const server = createServer((incoming, answer) => {
    const ready = targets.filter((target) => healthy.has(target));
    const target = ready[turn++ % ready.length];
    if (target === undefined) return void answer.writeHead(502).end('nobody is ready');
    const headers = { ...withoutHops(incoming.headers), 'x-forwarded-for': '127.0.0.1' };
    const outgoing = forward(new URL(incoming.url ?? '/', target), {
      method: incoming.method,
      headers,
      agent,
    });
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, withoutHops(response.headers));
      response.pipe(answer);
      response.on('error', () => answer.destroy());
    });
    outgoing.on('error', (error) => void (answer.headersSent || answer.writeHead(502).end(error.message)));
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead: (to) => {
      targets = to;
      for (const target of healthy) if (!to.includes(target)) healthy.delete(target);
    },
    isHealthy: (target) => healthy.has(target),
    async close() {
      clearInterval(looking);
      agent.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
