import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { countWith, type MakeCounters } from './counters.ts';

/** About 20 MB for each policy, with this many keys within one window. */
const mostKeys = 50_000;

/**
 * Counters in this process. A key is removed when its window has ended. When there are more keys than fit, the oldest
 * windows end early: a flood of keys neither takes more memory nor locks anybody out.
 */
export const memoryCounters =
  (most = mostKeys): MakeCounters =>
  ({ quota, window }) => {
    const limiter = new RateLimiterMemory({ keyPrefix: '', points: quota, duration: window });
    const keys = new LRUCache<string, true>({ max: most, dispose: (_, key) => void limiter.delete(key) });
    return { count: (key) => countWith(limiter, key, () => keys.set(key, true)) };
  };
