import type { Socket } from 'node:net';
import type { ConnectionTable } from './connection-table.ts';
import { rawProblem } from './raw-problem.ts';

type ClientError = NodeJS.ErrnoException & { readonly reason?: string };

/**
 * Answers what never becomes a request, because it cannot be parsed or does not arrive: without a route, so always as a
 * problem. Complete requests of the same connection that came before it are answered first, and a request that has its
 * answer gets no second one.
 */
export const answerClientErrors =
  ({ baseUrl, table }: { readonly baseUrl: () => string; readonly table: ConnectionTable }) =>
  (error: ClientError, socket: Socket): void => {
    const connection = table.of(socket);
    if (!connection) return void socket.destroy();
    if (connection.refuse) return; // reported again with each packet that still comes
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
