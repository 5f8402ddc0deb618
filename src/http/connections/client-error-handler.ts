import type { Socket } from 'node:net';
import type { ConnectionTable } from './connection-table.ts';
import { rawProblem } from './raw-problem.ts';

type ClientError = NodeJS.ErrnoException & { readonly reason?: string };

/**
 * Answers requests that cannot be parsed or do not arrive completely. They have no route, so the answer is always a
 * problem. Complete requests that came earlier on the same connection are answered first, and an answered request gets
 * no second answer.
 */
export const answerClientErrors =
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
