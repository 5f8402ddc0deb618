import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import { pagePath } from '../../../src/http/base/routes.ts';
import { makeBaseServer } from '../../../src/http/requests/base-server.ts';
import type { HttpConfig } from '../../../src/http/base/dependencies.ts';
import { quietLogger } from '../quiet-logger.ts';

type Options = {
  readonly config?: Partial<HttpConfig>;
  readonly maxConnections?: number;
  readonly routes?: (app: FastifyInstance) => void;
};

/** A server with our handling of connections and the routes of the test, on a port of its own. */
export const startEdgeServer = async ({ config, maxConnections = 100, routes }: Options = {}) => {
  const stopping = new AbortController();
  const baseUrl = 'http://127.0.0.1:8080';
  const { app, table } = makeBaseServer(
    {
      config: { baseUrl, issuer: baseUrl, secureCookies: false, syncRetentionDays: 30, ...config },
      logger: { ...quietLogger(), debug: () => undefined, isLevelEnabled: () => false },
      stopping: stopping.signal,
    },
    maxConnections,
  );
  routes?.(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const open = async (localAddress = '127.0.0.1'): Promise<Socket> => {
    const { port } = app.server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined); // the server may close first
    onTestFinished(() => void socket.destroy());
    await Promise.all([once(socket, 'connect'), once(app.server, 'connection')]);
    return socket;
  };
  return { app, table, stopping, open };
};

/** Routes of the test for `/x`, which takes any body, and whose answer is never waited for. */
export const bodies = (app: FastifyInstance): void => {
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  pagePath(app, '/x', { POST: () => 'never' }, (_request, reply) => reply.send('refused'));
};

/** Everything that arrives until the other side closes the connection. */
export const readAll = async (socket: Socket): Promise<string> => {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(socket, 'close');
  return text;
};

/** A route whose answer is delayed until `answer` is called; `asked` resolves when a request is waiting. */
export const heldRoute = (url = '/held') => {
  let answer: () => void = () => undefined;
  let isAsked: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  const routes = (app: FastifyInstance): void =>
    void app.get(url, async () => {
      isAsked();
      await held;
      return 'the whole answer';
    });
  return { routes, asked, answer: () => answer() };
};
