import type { Connection } from './connection.ts';

/**
 * How long a client that is refused in the middle of its body may continue to send, so that it gets to read the answer.
 */
const lingerMs = 5_000;

/**
 * Closing a socket with unread bytes makes the kernel send a reset, which can overtake the answer. So if a request did
 * not arrive completely, the connection sends FIN first, discards further input, and only then closes (RFC 9112 §9.6).
 */
export const closeLingering = (connection: Connection): void => {
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
