import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ConnectionTable } from './connection-table.ts';
import type { Connection, Exchange } from './connection.ts';

/** A client that sends more requests than these before it reads an answer is cut off. */
export const mostPipelined = 64;

/** What is to be done when an answer of a connection is complete. */
export type Answered = (connection: Connection) => void;

/**
 * Works on one request of a connection at a time, so that a client that sends many at once and reads nothing is owed one
 * answer and not all of them (Node by itself answers every request of a packet at once and keeps what is not read).
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
