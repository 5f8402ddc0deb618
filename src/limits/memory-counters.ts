import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { countWith, type MakeCounters } from './counters.ts';

/** About 20 MB for each policy, when so many come within one window. */
const mostKeys = 50_000;

/**
 * Counters in this process. A key goes when its window has ended; where more keys come than there is room for, the oldest
 * windows end early: whoever floods with keys gets no memory for it, and keeps nobody out.
 */
export const memoryCounters =
  (most = mostKeys): MakeCounters =>
  ({ quota, window }) => {
    const limiter = new RateLimiterMemory({ keyPrefix: '', points: quota, duration: window });
    const keys = new LRUCache<string, true>({ max: most, dispose: (_, key) => void limiter.delete(key) });
    return { count: (key) => countWith(limiter, key, () => keys.set(key, true)) };
  };
