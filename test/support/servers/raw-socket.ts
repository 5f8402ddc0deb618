import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Sends raw bytes to a listening server, and reads until the server closes the connection. */
export const sayTo = async (app: FastifyInstance, said: string | Buffer, half = false) => {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined); // the server may close before everything is sent
  socket.write(said);
  if (half) socket.end();
  const answer = await text(socket);
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0), answer };
};

/** A request line and its header fields. */
export const head = (line: string, ...fields: readonly string[]): string =>
  [`${line} HTTP/1.1`, 'host: a', 'connection: close', ...fields, '', ''].join('\r\n');
