import { LRUCache } from 'lru-cache';
import { growing } from '../../../common/growing.ts';
import type { Counted, MakeCounters, Policy } from './counters.ts';

const minute = 60;

/** What is left of a key's quota, and in how many whole seconds (at least 1) it is complete again. */
export type Standing = { readonly policy: string; readonly remaining: number; readonly seconds: number };

export type Admission =
  | {
      readonly admitted: true;
      readonly standings: readonly Standing[];
      /** Takes the counts back. Nobody waits for it. */
      readonly takeBack: () => void;
    }
  /** Not counted. `standings` only has the exceeded policies, because the others are not checked. */
  | { readonly admitted: false; readonly standings: readonly Standing[]; readonly retryAfter: number };

export type RateLimiter<Name extends string = string> = {
  readonly policies: readonly Policy<Name>[];
  /** Counts one request under each policy, or, when one of them is exceeded, under none. Never rejects. */
  admit(keys: Readonly<Record<Name, string>>): Promise<Admission>;
};

/** How many exceeded keys are kept in memory; for an evicted one, the counters say again that it is exceeded. */
const mostExceeded = 10_000;

/**
 * Limits by several policies. An exceeded key is refused until its window ends without the counters. @param quotas by policy; 0 switches
 * one off @param now milliseconds, of the counters' clock
 */
export const makeRateLimiter = <Name extends string>(
  quotas: Readonly<Record<Name, number>>,
  makeCounters: MakeCounters,
  now: () => number,
): RateLimiter<Name> => {
  const limits = (Object.keys(quotas) as Name[])
    .map((name) => ({ name, quota: quotas[name], window: minute }))
    .filter(({ quota }) => quota > 0)
    .map((policy) => ({
      policy,
      counters: makeCounters(policy),
      full: new LRUCache<string, number>(growing(mostExceeded)),
    }));

  const stillFull = (keys: Readonly<Record<Name, string>>): readonly Standing[] =>
    limits.flatMap(({ policy, full }) => {
      const left = (full.get(keys[policy.name]) ?? 0) - now();
      // More than a window means that the clock was set back: then the counters decide.
      return left > 0 && left <= lengthOf(policy) ? [standing(policy.name, 0, left)] : [];
    });

  return {
    policies: limits.map(({ policy }) => policy),
    async admit(keys) {
      const before = stillFull(keys);
      if (before.length > 0) return refused(before);
      // All counts start before the first is awaited: in a database they share a round trip.
      const asked = limits.map((limit) => ({ limit, answer: limit.counters.count(keys[limit.policy.name]) }));
      const standings: Standing[] = [];
      const exceeded: Standing[] = [];
      const within: Counted[] = [];
      for (const { limit, answer } of asked) {
        const { policy, full } = limit;
        const counted = await answer;
        const left = Math.min(counted.milliseconds, lengthOf(policy)); // the window may have begun by a clock that was ahead of ours
        const told = standing(policy.name, counted.remaining, left);
        standings.push(told);
        if (!counted.exceeded) within.push(counted);
        else {
          exceeded.push(told);
          full.set(keys[policy.name], now() + left);
        }
      }
      const takeBack = () => {
        for (const one of within) one.takeBack();
      };
      if (exceeded.length === 0) return { admitted: true, standings, takeBack };
      takeBack();
      return refused(exceeded);
    },
  };
};

const lengthOf = ({ window }: Policy): number => window * 1000;

const standing = (policy: string, remaining: number, milliseconds: number): Standing => ({
  policy,
  remaining,
  seconds: Math.max(1, Math.ceil(milliseconds / 1000)),
});

const refused = (standings: readonly Standing[]): Admission => ({
  admitted: false,
  standings,
  retryAfter: Math.max(...standings.map(({ seconds }) => seconds)),
});
