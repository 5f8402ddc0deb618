import type { Connection } from './connection.ts';

/** How long a client that is refused in the middle of its body may go on sending, so that it comes to read the answer. */
const lingerMs = 5_000;

/**
 * Closing a socket with bytes that were not read makes the kernel send a reset, which can overtake the answer. So the end
 * of a connection whose request did not arrive completely is announced, what still comes is thrown away, and only then it is closed
 * (RFC 9112 §9.6).
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
