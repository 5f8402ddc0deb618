import { LRUCache } from 'lru-cache';
import { makeConcurrencyLimiter } from '../common/concurrency-limiter.ts';
import { addonOfSignalStream } from '../domain/signals/signal-stream.ts';
import type { PollPlaces } from './poll-places.ts';
import type { OfferedSet } from './read-sets.ts';
import type { Ending } from './set-queue.ts';

/** A poll (RFC 8936 §2.4). */
export type PollRequest = {
  readonly streamId: string;
  /** Null: as many as are given out at once. 0: acknowledge only. */
  readonly maxEvents: number | null;
  readonly returnImmediately: boolean;
  /** What the receiver says about SETs that it holds; ids that are unknown are passed over. */
  readonly endings: readonly Ending[];
};

/** The caller of a poll, who may lose the right to it while it waits. */
export type PollCaller<Refusal> = {
  /** The same of all polls with one token: they share what `judge` reads. */
  readonly name: string;
  /**
   * @param asOf `now` before anything is acknowledged or given out: on the log. `lately`: whether the poll may wait,
   *   for which it is enough what the log said a moment ago
   */
  readonly judge: (asOf: 'now' | 'lately') => Promise<PolledStream | { readonly refusal: Refusal }>;
  /** Calls `leave` when the client goes away. */
  readonly whenGone: (leave: () => void) => void;
};

export type PolledStream = {
  readonly addonId: string;
  /** Only an enabled stream offers SETs; polls of the others wait for their time, so that receivers do not spin. */
  readonly status: 'enabled' | 'paused' | 'disabled';
};

type Dependencies = Offering & {
  readonly places: PollPlaces;
  /** @returns after the commit: what is ended is never offered again, and what follows it is offered */
  readonly endSets: (streamId: string, endings: readonly Ending[]) => Promise<unknown>;
  /** From 0 to 1: receivers that began together do not keep returning together. */
  readonly random?: () => number;
};

/** In milliseconds. */
const longestWait = 30_000;
/** How much shorter a wait may be, at random. */
const spread = 0.15;
/** Callers: after a restart all receivers come back at once, and none of them is known. */
const judgedAtOnce = 32;

export type Poll = <Refusal>(
  request: PollRequest,
  caller: PollCaller<Refusal>,
) => Promise<PollAnswer | { readonly refusal: Refusal }>;

/**
 * Answers a poll as soon as something is offered, at once if the caller wants it, and after 30 seconds at the latest.
 * While it waits it holds memory only. Delivery is at least once: polls at the same time may get the same SETs.
 */
export const makePoll = ({ places, endSets, random = Math.random, ...offering }: Dependencies): Poll => {
  const offer = makeOfferSets(offering);
  const together = makeJudgeTogether(judgedAtOnce);
  return async ({ streamId, maxEvents, returnImmediately, endings }, { name, judge, whenGone }) => {
    const atOnce = returnImmediately || maxEvents === 0;
    // Taken before anything is read, so that no change in between is missed.
    const place = places.take(
      addonOfSignalStream(streamId) ?? streamId,
      longestWait * (1 - spread * random()),
    );
    whenGone(place.leave);
    try {
      for (let isFirst = true; ; isFirst = false) {
        const decidesNow = isFirst && (atOnce || endings.length > 0);
        const judged = decidesNow ? await judge('now') : await together(name, () => judge('lately'));
        if ('refusal' in judged) return judged;
        if (decidesNow) await endSets(streamId, endings);
        const answer =
          judged.status === 'enabled' ? await offer(streamId, judged.addonId, maxEvents) : nothing;
        if (decidesNow && (answer.sets.size > 0 || atOnce)) return answer;
        if (answer.sets.size > 0) {
          const stream = await judge('now');
          if ('refusal' in stream || stream.status === 'enabled')
            return 'refusal' in stream ? stream : answer;
        }
        if ((await place.next()) === 'over') return nothing;
      }
    } finally {
      place.leave();
    }
  };
};

const nothing: PollAnswer = { sets: new Map(), moreAvailable: false };

/** Runs the work when it is its turn. @param name those who wait under the same name have one turn together */
type JudgeTogether = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Names judged at once; who waits under one name shares its reads of the log, or thousands of polls would wait for each. */
const makeJudgeTogether = (atOnce: number): JudgeTogether => {
  const { run } = makeConcurrencyLimiter({ atOnce });
  const waiting = new Map<string, (() => Promise<void>)[]>();
  return (name, work) =>
    new Promise((resolve, reject) => {
      const one = () => work().then(resolve, reject);
      const present = waiting.get(name);
      if (present) return void present.push(one);
      const group = [one];
      waiting.set(name, group);
      void run(async () => {
        waiting.delete(name);
        await Promise.all(group.map((each) => each()));
      });
    });
};

type Offering = {
  /** What the stream offers now, the oldest first. */
  readonly offered: (streamId: string, most: number) => Promise<readonly OfferedSet[]>;
  /** The SET in compact form, with the current key of the add-on's algorithm. */
  readonly sign: (addonId: string, set: OfferedSet) => Promise<string>;
};

/** The answer (RFC 8936 §2.5). */
type PollAnswer = {
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

const makeOfferSets = ({ offered, sign }: Offering) => {
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
