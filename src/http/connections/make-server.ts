import {
  createServer,
  type RequestListener,
  type Server,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionTable } from './connection-table.ts';
import type { Connection, Exchange } from './connection.ts';
import type { Drain } from './graceful-shutdown.ts';
import { rawProblem } from './raw-problem.ts';

const headersAtMost = 10_000;

export type ServerDependencies = {
  readonly table: ConnectionTable;
  /** A getter, because the port may be known only after `listen`. */
  readonly baseUrl: () => string;
  /** In milliseconds, for a request to arrive; a client must take part of its answer within one and a half times of it. */
  readonly requestTimeout: number;
  /** In milliseconds: longer than proxies keep idle connections, so that none is closed that a proxy is about to use. */
  readonly keepAliveTimeout: number;
  readonly drain: Drain;
};

/** A server with a time limit for every wait on a client, so that no client can hold resources. */
export const makeServer = (handle: RequestListener, dependencies: ServerDependencies): Server => {
  const { table, requestTimeout, keepAliveTimeout, drain } = dependencies;
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

/** How long a client that is refused in the middle of its body may continue to send, so that it gets to read the answer. */
const lingerMs = 5_000;

/**
 * Closing a socket with unread bytes makes the kernel send a reset, which can overtake the answer. So if a request did
 * not arrive completely, the connection sends FIN first, discards further input, and only then closes (RFC 9112 §9.6).
 */
const closeLingering = (connection: Connection): void => {
  const { socket } = connection;
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (connection.last?.request.complete && !connection.isEnding) return destroySoon();
    connection.isEnding = true;
    socket.end();
    socket.resume();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
};

/** Closes connections whose client reads nothing, after two thirds of `limitMs` to `limitMs`: two of Node's timeouts are a stall. */
const endStalledWrites = (server: Server, table: ConnectionTable, limitMs: number): void => {
  const checkMs = Math.ceil(limitMs / 3);
  const stalledSince = new WeakMap<Socket, number>();
  server.setTimeout(checkMs);
  server.on('timeout', (socket: Socket) => {
    const connection = table.of(socket);
    if (!connection) return void socket.destroy();
    if (socket.writableLength > 0) {
      const now = performance.now();
      const isSecond = now - (stalledSince.get(socket) ?? -Infinity) < checkMs * 1.5;
      if (isSecond) return table.close(connection, 'stalled');
      stalledSince.set(socket, now);
      return void socket.setTimeout(checkMs);
    }
    const isIdle = connection.pending.length === 0 && connection.last?.request.complete;
    if (isIdle) socket.destroy(); // kept alive, but unused
  });
};

type ClientError = NodeJS.ErrnoException & { readonly reason?: string };

/** Answers unreadable and incomplete requests with a problem, after complete earlier ones; an answered request gets no second answer. */
const answerClientErrors =
  ({ baseUrl, table }: { readonly baseUrl: () => string; readonly table: ConnectionTable }) =>
  (error: ClientError, socket: Socket): void => {
    const connection = table.of(socket);
    if (!connection) return void socket.destroy();
    if (connection.refuse) return; // Node reports it again for each further packet
    connection.refuse = () => {
      connection.isEnding = true;
      const { last } = connection;
      const isAnswered = last !== null && !last.request.complete && last.response.headersSent;
      const answer = isAnswered || isGone(error) ? '' : rawProblem(error, baseUrl());
      if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') return refuse(socket, answer);
      if (socket.writable) socket.end(answer, () => table.close(connection, 'timeout'));
      else table.close(connection, 'timeout');
    };
    const [first] = connection.pending;
    if (!first?.request.complete) connection.refuse();
  };

const isGone = ({ code }: ClientError): boolean => code === 'ECONNRESET' || code === 'EPIPE';

const refuse = (socket: Socket, answer: string): void => {
  if (socket.writable && answer !== '') socket.write(answer);
  socket.destroySoon();
};

/** A client that sends more requests than this before it reads an answer is disconnected. */
export const mostPipelined = 64;

/** Called when an answer on a connection is complete. */
type Answered = (connection: Connection) => void;

/** One request of a connection at a time: Node would process all pipelined ones and buffer their answers. */
const requestsInOrder = (
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
