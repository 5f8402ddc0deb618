import { makeBatches } from '../kernel/counts-in-batches.ts';

/** A request that was refused, of an add-on or of somebody who claims to be it. Nothing that was sent is in it. */
export type Refusal = {
  readonly refusalId: string;
  readonly addonId: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly endpoint: string;
  /** One of a closed set. */
  readonly reason: string;
  /** Where it came from: /24 of IPv4, /48 of IPv6; null where that is not known. */
  readonly network: string | null;
};

export type RefusedRequest = Pick<Refusal, 'addonId' | 'endpoint' | 'reason'> & { readonly address: string };

export type RefusalCollector = ReturnType<typeof makeRefusalCollector>;

type Options = {
  readonly now: () => number;
  readonly newId: () => string;
  /** The network of an address, in the form to store; null for none. */
  readonly networkOf: (address: string) => string | null;
  /** How many wait to be stored. */
  readonly most?: number;
};

/** Of one add-on, endpoint and reason, and of one network, until they are stored: whoever floods leaves room for others. */
const mostAlike = 100;
const mostOfNetwork = 1_000;

/** Collects in memory, so that no answer waits for the database. Beyond its bounds a refusal is only counted. */
export const makeRefusalCollector = ({ now, newId, networkOf, most = 10_000 }: Options) => {
  let waiting: Refusal[] = [];
  let counts = new Map<string, number>();
  let dropped = 0;
  return {
    ...makeBatches(() => {
      const taken = waiting;
      [waiting, counts] = [[], new Map()];
      return taken;
    }),
    collect: ({ addonId, endpoint, reason, address }: RefusedRequest): void => {
      const network = networkOf(address);
      const bounds = [
        [`${addonId} ${endpoint} ${reason}`, mostAlike],
        [network ?? 'unknown', mostOfNetwork],
      ] as const;
      const isFull = bounds.some(([of, bound]) => (counts.get(of) ?? 0) >= bound);
      if (isFull || waiting.length >= most) return void (dropped += 1);
      for (const [of] of bounds) counts.set(of, (counts.get(of) ?? 0) + 1);
      waiting.push({ refusalId: newId(), addonId, at: now(), endpoint, reason, network });
    },
    /** How many will never be stored, since the start. */
    dropped: () => dropped,
  };
};
