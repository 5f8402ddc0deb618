import { type Socket, BlockList, isIPv6 } from 'node:net';
import { networkOf } from '../requests/client-network.ts';
import type { AddressGroup, Connection } from './connection.ts';

/** Why the server closed a connection that the client wanted to keep. */
export type ClosedFor = 'limit' | 'timeout' | 'stalled';

/**
 * At the limit, the address with most connections loses its oldest idle one: refusing would let one client lock out all.
 * `limit`: well below that on open files.
 */
export const makeConnectionTable = (limit: number, trustedProxies: readonly string[]) => {
  const groups = new Map<string, AddressGroup>();
  const known = new Map<Socket, Connection>();
  const closed: Record<ClosedFor, number> = { limit: 0, timeout: 0, stalled: 0 };
  const isProxy = makeIsProxy(trustedProxies);

  const remove = (key: string, connection: Connection) => {
    known.delete(connection.socket);
    const group = groups.get(key);
    group?.connections.delete(connection);
    if (group?.connections.size === 0) groups.delete(key);
  };
  const close = (connection: Connection, why: ClosedFor) => {
    closed[why] += 1;
    connection.isEnding = true;
    connection.socket.destroy();
  };
  const add = (socket: Socket): Connection => {
    const tooMany = known.size >= limit ? connectionToClose(groups.values()) : undefined;
    if (tooMany) {
      close(tooMany, 'limit');
      remove(addressKey(tooMany.socket), tooMany); // its `close` event comes only in a later tick
    }
    const key = addressKey(socket);
    const group = groups.get(key) ?? { isProxy: isProxy(socket.remoteAddress), connections: new Set() };
    groups.set(key, group);
    const connection: Connection = {
      socket,
      since: performance.now(),
      pending: [],
      last: null,
      refuse: null,
      isEnding: false,
    };
    group.connections.add(connection);
    known.set(socket, connection);
    keys.set(socket, key);
    socket.once('close', () => remove(key, connection));
    return connection;
  };
  return {
    limit,
    closed,
    count: () => known.size,
    all: () => known.values(),
    of: (socket: Socket) => known.get(socket),
    /** Adds a connection; at the limit it closes another one first. */
    add,
    close,
  };
};

export type ConnectionTable = ReturnType<typeof makeConnectionTable>;

/** A socket no longer knows its address once it is closed. */
const keys = new WeakMap<Socket, string>();
const addressKey = (socket: Socket): string =>
  keys.get(socket) ?? networkOf(socket.remoteAddress) ?? 'unknown';

/** A trusted proxy may hold this many times as many connections as another address before it loses one. */
const proxyWeight = 16;

/** Of the address with most connections: first idle ones, then arriving requests, then those that wait; the oldest of these. */
const connectionToClose = (groups: Iterable<AddressGroup>): Connection | undefined => {
  let most = 0;
  let largest: AddressGroup[] = [];
  for (const group of groups) {
    const share = group.connections.size / (group.isProxy ? proxyWeight : 1);
    if (share > most) largest = [];
    if (share >= most) largest.push(group);
    most = Math.max(most, share);
  }
  let chosen: Connection | undefined;
  for (const { connections } of largest)
    for (const connection of connections) if (!chosen || isDearer(chosen, connection)) chosen = connection;
  return chosen;
};

const isDearer = (a: Connection, b: Connection): boolean =>
  costOf(a) > costOf(b) || (costOf(a) === costOf(b) && a.since > b.since);

const costOf = ({ pending: [first] }: Connection): number =>
  first === undefined ? 0 : first.request.complete ? 2 : 1;

/** Whether an address is one of TRUSTED_PROXIES (addresses, and networks in CIDR notation). */
export const makeIsProxy = (trustedProxies: readonly string[]): ((address?: string) => boolean) => {
  const list = new BlockList();
  for (const entry of trustedProxies) {
    const [address = '', prefix] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address = '') => address !== '' && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
};
