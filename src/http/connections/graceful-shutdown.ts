import type { FastifyInstance } from 'fastify';
import type { RequestListener } from 'node:http';
import type { ConnectionTable } from './connection-table.ts';
import type { Connection } from './connection.ts';

/** How long a stop waits for requests that are still arriving, and for answers in progress; in milliseconds. */
const patience = { arriving: 1_000, answering: 3_000 };

/** After `begin`, answers say `Connection: close`. Idle connections end at once, others after their answer, or by force after a time. */
export const makeDrain = (table: ConnectionTable) => {
  let isDraining = false;
  const begin = () => {
    isDraining = true;
    for (const { pending } of table.all())
      for (const { response } of pending)
        if (!response.headersSent) response.setHeader('connection', 'close');
  };
  const end = (which: (connection: Connection) => boolean) => {
    for (const connection of table.all()) if (which(connection)) connection.socket.destroy();
  };
  return {
    begin,
    /** Wraps a handler: answers say `Connection: close` during the shutdown. */
    saying:
      (handle: RequestListener): RequestListener =>
      (request, response) => {
        if (isDraining) response.setHeader('connection', 'close');
        handle(request, response);
      },
    /** Closes a connection whose answer had already sent its header when the shutdown began. */
    answered: ({ pending, socket }: Connection) => {
      if (isDraining && pending.length === 0) socket.destroySoon();
    },
    whenClosing: (app: FastifyInstance) =>
      app.addHook('preClose', (done) => {
        begin();
        end(({ pending }) => pending.length === 0);
        setTimeout(() => end(({ pending: [first] }) => !first?.request.complete), patience.arriving).unref();
        setTimeout(() => end(() => true), patience.answering).unref();
        done();
      }),
  };
};

export type Drain = ReturnType<typeof makeDrain>;
