import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A wire between client and node that a test can stop or cut. */
export type TcpProxy = {
  readonly url: string;
  /** Nothing passes any more, but nobody hangs up. */
  freeze(): void;
  /** Hangs up on everybody; new connections pass. */
  cut(): void;
  close(): Promise<void>;
};

export const startTcpProxy = async (port: number): Promise<TcpProxy> => {
  const sockets = new Set<Socket>();
  let frozen = false;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    frozen = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `esdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`,
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};
