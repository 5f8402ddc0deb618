import { LRUCache } from 'lru-cache';
import { growing } from '../../../common/growing.ts';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { countWith, type MakeCounters } from './counters.ts';

/** About 20 MB for each policy, with this many keys within one window. */
const mostKeys = 50_000;

/** Counters in this process, removed with their window. When too many, the oldest end early: no flood takes memory or locks anybody out. */
export const memoryCounters =
  (most = mostKeys): MakeCounters =>
  ({ quota, window }) => {
    const limiter = new RateLimiterMemory({ keyPrefix: '', points: quota, duration: window });
    const keys = new LRUCache<string, true>({
      ...growing(most),
      dispose: (_, key) => void limiter.delete(key),
    });
    return { count: (key) => countWith(limiter, key, () => keys.set(key, true)) };
  };
