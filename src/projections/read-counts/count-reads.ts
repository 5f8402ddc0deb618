import { makeBatches } from '../kernel/counts-in-batches.ts';
import { hourMs, noGrant, otherNetworks, readLists, type ListRead } from './list-read.ts';

export type CountedReads = {
  readonly grantId: string;
  readonly userId: string;
  /** By its number. */
  readonly list: number;
  /** All of a batch are of the same. */
  readonly hour: number;
  pages: number;
  records: number;
  /** Milliseconds since the Unix epoch. */
  readonly first: number;
  last: number;
  readonly networks: string[];
  /** An address whose network is among them. */
  address: string;
};

export type ReadCounter = ReturnType<typeof makeReadCounter>;

export type ReadCounterOptions = {
  readonly now: () => number;
  /** The network of an address, in the form to store; null for none. */
  readonly networkOf: (address: string) => string | null;
  /** How many combinations of grant and list are counted separately until they are stored, about 400 bytes each. */
  readonly most?: number;
};

/** How many networks of a grant, list and hour each instance counts separately. */
const mostNetworks = 8;

/** A statement that adds this many takes a fraction of a second. */
const batchSize = 5_000;

/** Counts pages in memory. Beyond its bound, new combinations count for their list only, as `unattributed`: none is lost. */
export const makeReadCounter = ({ now, networkOf, most = 100_000 }: ReadCounterOptions) => {
  const hours = new Map<number, Map<string, CountedReads>>();
  let size = 0;
  let unattributed = 0;
  let filling = () => {};

  const addNetwork = (counted: CountedReads, address: string) => {
    counted.address = address;
    if (counted.grantId === noGrant) return;
    const network = networkOf(address);
    if (network === null || counted.networks.includes(network)) return;
    if (counted.networks.length < mostNetworks) counted.networks.push(network);
    else if (!counted.networks.includes(otherNetworks)) counted.networks.push(otherNetworks);
  };
  const begin = (read: ListRead, at: number): CountedReads => {
    const isFull = size >= most;
    if (isFull) unattributed += 1;
    const list = readLists[read.list];
    const [grantId, userId] = isFull ? [noGrant, noGrant] : [read.grantId, read.userId];
    const hour = at - (at % hourMs);
    const ofHour = hours.get(hour) ?? new Map<string, CountedReads>();
    hours.set(hour, ofHour);
    const key = grantId + list;
    const known = ofHour.get(key);
    if (known) return known;
    const counted = {
      grantId,
      userId,
      list,
      hour,
      pages: 0,
      records: 0,
      first: at,
      last: at,
      networks: [],
      address: '',
    };
    ofHour.set(key, counted);
    size += 1;
    if (size === Math.ceil(most / 2)) filling();
    return counted;
  };
  /** Of the oldest hour. */
  const batches = makeBatches(() => {
    const [oldest] = hours;
    if (!oldest) return [];
    const [hour, ofHour] = oldest;
    const taken = [...ofHour].slice(0, batchSize);
    for (const [key] of taken) ofHour.delete(key);
    if (ofHour.size === 0) hours.delete(hour);
    return taken.map(([, counted]) => counted);
  });

  return {
    count: (read: ListRead): void => {
      const at = now();
      const counted =
        hours.get(at - (at % hourMs))?.get(read.grantId + readLists[read.list]) ?? begin(read, at);
      counted.pages += 1;
      counted.records += read.records;
      counted.last = at;
      if (counted.address !== read.address) addNetwork(counted, read.address);
    },
    /** @param listener called when half of the capacity is used; only the last one given */
    onFilling: (listener: () => void): void => void (filling = listener),
    next: batches.next,
    stored: (): void => {
      size -= batches.sent().length;
      batches.stored();
    },
    /** Pages that were counted without their grant, since the start. */
    unattributed: () => unattributed,
    /** Pages that are not stored yet. */
    waiting: (): number =>
      [...batches.sent(), ...[...hours.values()].flatMap((ofHour) => [...ofHour.values()])].reduce(
        (sum, { pages }) => sum + pages,
        0,
      ),
  };
};
