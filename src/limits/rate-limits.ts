import type { MakeCounters } from './counters.ts';
import { makeRateLimiter, type RateLimiter } from './rate-limiter.ts';

/** What is limited. `docs/rate-limits.md` says what the keys are made of. */
export type RateLimits = {
  /** The lists and userinfo, by whoever the access token speaks for. */
  readonly resources: RateLimiter<'activation' | 'addon'>;
  /** The token endpoint, by add-on and network. */
  readonly token: RateLimiter<'token'>;
};

/** Requests a minute; 0 switches one off. */
export type Quotas = { readonly activation: number; readonly addon: number; readonly token: number };

export const makeRateLimits = (
  { activation, addon, token }: Quotas,
  makeCounters: MakeCounters,
  now: () => number,
): RateLimits => ({
  resources: makeRateLimiter({ activation, addon }, makeCounters, now),
  token: makeRateLimiter({ token }, makeCounters, now),
});
