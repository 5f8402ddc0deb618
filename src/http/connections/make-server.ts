import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { answerClientErrors } from './client-error-handler.ts';
import type { ConnectionTable } from './connection-table.ts';
import { closeLingering } from './lingering-close.ts';
import type { Drain } from './graceful-shutdown.ts';
import { requestsInOrder } from './requests-in-order.ts';
import { endStalledWrites } from './stalled-writes.ts';

/** Proxies keep idle connections for 60 s and more; whoever waits longer than they do is never surprised by them. */
const keepAliveTimeout = 72_000;
const headersAtMost = 10_000;

export type ServerDependencies = {
  readonly table: ConnectionTable;
  /** Asked anew each time: it may be known only after `listen`. */
  readonly baseUrl: () => string;
  /** In milliseconds: a request has to arrive within it; a client has to take some of its answer within one and a half of it. */
  readonly requestTimeout: number;
  readonly drain: Drain;
};

/** A server whose clients cannot hold on to it: every wait for them has an end. */
export const makeServer = (handle: RequestListener, dependencies: ServerDependencies): Server => {
  const { table, requestTimeout, drain } = dependencies;
  const inOrder = requestsInOrder(table, drain.saying(handle), drain.answered);
  const server = createServer(
    {
      requestTimeout,
      headersTimeout: Math.min(headersAtMost, requestTimeout),
      keepAliveTimeout,
      connectionsCheckingInterval: Math.min(1_000, Math.ceil(requestTimeout / 4)),
      requireHostHeader: false, // refused by us, as a problem
      noDelay: true,
    },
    inOrder,
  );
  server.on('checkExpectation', inOrder); // refused by us, too
  server.on('connection', (socket: Socket) => closeLingering(table.add(socket)));
  server.on('clientError', answerClientErrors(dependencies));
  endStalledWrites(server, table, requestTimeout * 1.5);
  return server;
};
