import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionTable } from './connection-table.ts';

/**
 * Ends connections whose client takes nothing of its answer: after `limitMs` at the latest, and after two thirds of it
 * at the earliest. Node's timer of a socket is silent while the queue of a write becomes shorter; two silent thirds in a
 * row are a stall. An answer that is not ready yet may take as long as it wants.
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
    if (isIdle) socket.destroy(); // kept alive, and not used
  });
};
