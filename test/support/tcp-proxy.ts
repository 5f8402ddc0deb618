import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** From the client, or to the client. */
export type Direction = 'requests' | 'answers';

/** A TCP proxy between client and node that a test can freeze or cut. */
export type TcpProxy = {
  readonly port: number;
  /** Connection string of the event store through the proxy. */
  readonly url: string;
  /** Stops all traffic, in both directions or in one, without closing connections. */
  freeze(what?: 'all' | Direction): void;
  /**
   * The same, starting with the first request that contains these words: frozen requests hold it back, frozen answers
   * let it pass.
   */
  freezeFrom(words: string, what: Direction): void;
  /** Delivers the traffic that was held back, and lets everything pass again. */
  thaw(): void;
  /** Closes all connections; new connections work. */
  cut(): void;
  close(): Promise<void>;
};

/**
 * @param target a local port, or the path of a socket
 * @param port to listen on; by default, any free one
 */
export const startTcpProxy = async (target: number | string, port = 0): Promise<TcpProxy> => {
  const sockets = new Map<Socket, Direction>();
  let frozen: 'nothing' | 'all' | Direction = 'nothing';
  let awaited: { readonly words: string; readonly what: Direction } | null = null;
  const freeze = (what: 'all' | Direction): void => {
    [frozen, awaited] = [what, null];
    stopFrozen();
  };
  const stopFrozen = () => {
    for (const [socket, carries] of sockets) if (frozen === 'all' || frozen === carries) socket.pause();
  };
  const server = createServer((near) => {
    const far = typeof target === 'number' ? connect(target, '127.0.0.1') : connect(target);
    for (const [socket, carries] of [
      [near, 'requests'],
      [far, 'answers'],
    ] as const) {
      sockets.set(socket, carries);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
    }
    near.on('data', (bytes: Buffer) => {
      if (awaited && bytes.includes(awaited.words)) freeze(awaited.what);
      if (near.isPaused()) near.unshift(bytes);
      else far.write(bytes);
    });
    far.on('data', (bytes) => near.write(bytes));
    stopFrozen();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    [frozen, awaited] = ['nothing', null];
    for (const socket of sockets.keys()) socket.destroy();
  };
  const near = (server.address() as AddressInfo).port;
  return {
    port: near,
    url: `esdb://127.0.0.1:${near}?tls=false`,
    freeze: (what = 'all') => freeze(what),
    freezeFrom: (words, what) => void (awaited = { words, what }),
    thaw() {
      [frozen, awaited] = ['nothing', null];
      for (const socket of sockets.keys()) socket.resume();
    },
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};
