import { LRUCache } from 'lru-cache';
import { makeConcurrencyLimiter } from '../common/concurrency-limiter.ts';
import type { OfferedSet } from './read-sets.ts';

export type Offering = {
  /** What the stream offers now, the oldest first. */
  readonly offered: (streamId: string, most: number) => Promise<readonly OfferedSet[]>;
  /** The SET in compact form, with the current key of the add-on's algorithm. */
  readonly sign: (addonId: string, set: OfferedSet) => Promise<string>;
};

/** The answer (RFC 8936 §2.5). */
export type PollAnswer = {
  /** Signed, by `jti`. */
  readonly sets: ReadonlyMap<string, string>;
  readonly moreAvailable: boolean;
};

/** How many SETs one answer holds: about 100 kB. The receiver asks for the rest. */
const mostAtOnce = 100;
/** Each takes about a millisecond of one of libuv's threads, which passwords need, too. */
const signedAtOnce = 4;
/** A SET is offered again until it is acknowledged, often within a moment. In milliseconds. */
const keptSigned = 60_000;

/** Reads what a stream offers, and signs it. */
export const makeOfferSets = ({ offered, sign }: Offering) => {
  const { run } = makeConcurrencyLimiter({ atOnce: signedAtOnce });
  const signed = new LRUCache<string, Promise<string>>({ max: 1_000, ttl: keptSigned });

  const signOnce = (streamId: string, addonId: string, set: OfferedSet): Promise<string> => {
    const key = `${streamId} ${set.jti}`;
    const known = signed.get(key);
    if (known) return known;
    const signing = run(() => sign(addonId, set));
    signed.set(key, signing);
    signing.catch(() => signed.delete(key));
    return signing;
  };

  /** @param maxEvents null: as many as are given out at once */
  return async (streamId: string, addonId: string, maxEvents: number | null): Promise<PollAnswer> => {
    const most = Math.min(maxEvents ?? mostAtOnce, mostAtOnce);
    const found = await offered(streamId, most + 1); // one more, to know whether there is more
    const given = found.slice(0, most);
    const tokens = await Promise.all(given.map((set) => signOnce(streamId, addonId, set)));
    return {
      sets: new Map(given.map(({ jti }, place) => [jti, tokens[place] ?? ''])),
      moreAvailable: found.length > most,
    };
  };
};
