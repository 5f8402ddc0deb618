import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ConnectionTable } from './connection-table.ts';
import type { Connection, Exchange } from './connection.ts';

/** A client that sends more requests than this before it reads an answer is disconnected. */
export const mostPipelined = 64;

/** Called when an answer on a connection is complete. */
export type Answered = (connection: Connection) => void;

/**
 * Processes one request of a connection at a time, so that a client that sends many and reads nothing occupies memory
 * for one answer only. (Node by itself processes all pipelined requests at once and buffers their answers.)
 */
export const requestsInOrder = (
  table: ConnectionTable,
  handle: RequestListener,
  answered: Answered,
): RequestListener => {
  const next = (connection: Connection) => {
    const [first] = connection.pending;
    if (connection.isEnding) return;
    if (connection.refuse && !first?.request.complete) return connection.refuse();
    if (first) handle(first.request, first.response);
  };
  const finish = (connection: Connection, exchange: Exchange) => {
    connection.pending.splice(connection.pending.indexOf(exchange), 1);
    connection.since = performance.now();
    answered(connection);
    next(connection);
  };
  return (request: IncomingMessage, response: ServerResponse) => {
    const connection = table.of(request.socket);
    if (!connection || connection.isEnding || connection.refuse) return;
    const exchange = { request, response };
    connection.last = exchange;
    connection.pending.push(exchange);
    if (connection.pending.length > mostPipelined) return table.close(connection, 'limit');
    response.once('close', () => finish(connection, exchange));
    if (connection.pending.length === 1) next(connection);
  };
};
