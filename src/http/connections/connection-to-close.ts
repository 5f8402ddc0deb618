import type { AddressGroup, Connection } from './connection.ts';

/** A trusted proxy may hold this many times as many connections as another address before it loses one. */
const proxyWeight = 16;

/**
 * Which connection is closed in favour of a new one. It is taken from the address with most connections: first idle
 * ones, then those whose request is still arriving, then those that wait for an answer; of these the oldest.
 */
export const connectionToClose = (groups: Iterable<AddressGroup>): Connection | undefined => {
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
