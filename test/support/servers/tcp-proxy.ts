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
   * let it pass. Several requests have to come one after the other on one connection.
   */
  freezeFrom(words: string | readonly Words[], what: Direction): void;
  isFrozen(): boolean;
  /** Delivers the traffic that was held back, and lets everything pass again. */
  thaw(): void;
  /** New connections lead to another server, and those that are there stay. */
  switchTo(target: number | string): void;
  /** Closes all connections; new connections work. */
  cut(): void;
  /** The same, and new connections are refused until it comes back. */
  leave(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
};

/** Of one request; several have to be in it in this order. */
export type Words = string | readonly string[];

/** Where they end, or -1. */
const endOf = (words: Words, bytes: Buffer, from: number): number => {
  let end = from;
  for (const word of [words].flat()) {
    const found = bytes.indexOf(word, end);
    if (found < 0) return -1;
    end = found + word.length;
  }
  return end;
};

/**
 * @param first a local port, or the path of a socket
 * @param port to listen on; by default, any free one
 */
export const startTcpProxy = async (first: number | string, port = 0): Promise<TcpProxy> => {
  let target = first;
  const sockets = new Map<Socket, Direction>();
  let frozen: 'nothing' | 'all' | Direction = 'nothing';
  let awaited: { readonly words: readonly Words[]; readonly what: Direction } | null = null;
  /** How many of the awaited words each connection has brought. */
  let brought = new WeakMap<Socket, number>();
  const freeze = (what: 'all' | Direction): void => {
    [frozen, awaited] = [what, null];
    stopFrozen();
  };
  const stopFrozen = () => {
    for (const [socket, carries] of sockets) if (frozen === 'all' || frozen === carries) socket.pause();
  };
  const hasBrought = (socket: Socket, words: readonly Words[], bytes: Buffer): boolean => {
    let count = brought.get(socket) ?? 0;
    for (let from = 0; count < words.length; count += 1) {
      from = endOf(words[count] ?? '', bytes, from);
      if (from < 0) break;
    }
    brought.set(socket, count);
    return count === words.length;
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
      if (awaited && hasBrought(near, awaited.words, bytes)) freeze(awaited.what);
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
  const leave = async (): Promise<void> => {
    cut();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  const near = (server.address() as AddressInfo).port;
  return {
    port: near,
    url: `esdb://127.0.0.1:${near}?tls=false`,
    freeze: (what = 'all') => freeze(what),
    freezeFrom(words, what) {
      awaited = { words: [words].flat(), what };
      brought = new WeakMap();
    },
    isFrozen: () => frozen !== 'nothing',
    thaw() {
      [frozen, awaited] = ['nothing', null];
      for (const socket of sockets.keys()) socket.resume();
    },
    switchTo: (other) => void (target = other),
    cut,
    leave,
    async comeBack() {
      server.listen(near, '127.0.0.1');
      await once(server, 'listening');
    },
    close: leave,
  };
};
