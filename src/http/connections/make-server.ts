import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { answerClientErrors } from './client-error-handler.ts';
import type { ConnectionTable } from './connection-table.ts';
import { closeLingering } from './lingering-close.ts';
import type { Drain } from './graceful-shutdown.ts';
import { requestsInOrder } from './requests-in-order.ts';
import { endStalledWrites } from './stalled-writes.ts';

/**
 * In milliseconds. Proxies keep idle connections for 60 s and more; a server that waits longer does not close one that
 * a proxy is about to use.
 */
const keepAliveTimeout = 72_000;
const headersAtMost = 10_000;

export type ServerDependencies = {
  readonly table: ConnectionTable;
  /** A getter, because the port may be known only after `listen`. */
  readonly baseUrl: () => string;
  /**
   * In milliseconds. A request must arrive within it; a client must take part of its answer within one and a half times
   * of it.
   */
  readonly requestTimeout: number;
  readonly drain: Drain;
};

/** A server with a time limit for every wait on a client, so that no client can hold resources. */
export const makeServer = (handle: RequestListener, dependencies: ServerDependencies): Server => {
  const { table, requestTimeout, drain } = dependencies;
  const inOrder = requestsInOrder(table, drain.saying(handle), drain.answered);
  const server = createServer(
    {
      requestTimeout,
      headersTimeout: Math.min(headersAtMost, requestTimeout),
      keepAliveTimeout,
      connectionsCheckingInterval: Math.min(1_000, Math.ceil(requestTimeout / 4)),
      requireHostHeader: false, // our own check answers with a problem
      noDelay: true,
    },
    inOrder,
  );
  server.on('checkExpectation', inOrder); // our own check answers with a problem
  server.on('connection', (socket: Socket) => closeLingering(table.add(socket)));
  server.on('clientError', answerClientErrors(dependencies));
  endStalledWrites(server, table, requestTimeout * 1.5);
  return server;
};
