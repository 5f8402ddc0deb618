import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionTable } from './connection-table.ts';

/**
 * Closes connections whose client reads nothing of its answer: after `limitMs` at the latest, and after two thirds of
 * it at the earliest. Node's socket timeout does not fire while the write queue shrinks; two timeouts in a row are a
 * stall. Time to compute an answer does not count.
 */
export const endStalledWrites = (server: Server, table: ConnectionTable, limitMs: number): void => {
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
