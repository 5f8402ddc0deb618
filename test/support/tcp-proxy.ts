import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A wire between client and node that a test can stop or cut. */
export type TcpProxy = {
  readonly port: number;
  /** Where the wire leads to an event store. */
  readonly url: string;
  /** Nothing passes any more, but nobody hangs up. */
  freeze(): void;
  /** What was on its way arrives, and everything passes again. */
  thaw(): void;
  /** Hangs up on everybody; new connections pass. */
  cut(): void;
  close(): Promise<void>;
};

/**
 * @param target a port of this machine, or the path of a socket
 * @param port of its own; by default, any free one
 */
export const startTcpProxy = async (target: number | string, port = 0): Promise<TcpProxy> => {
  const sockets = new Set<Socket>();
  let frozen = false;
  const server = createServer((near) => {
    const far = typeof target === 'number' ? connect(target, '127.0.0.1') : connect(target);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      if (frozen) socket.pause();
    }
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => near.write(bytes));
    if (frozen) for (const socket of [near, far]) socket.pause();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    frozen = false;
    for (const socket of sockets) socket.destroy();
  };
  const near = (server.address() as AddressInfo).port;
  return {
    port: near,
    url: `esdb://127.0.0.1:${near}?tls=false`,
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};
