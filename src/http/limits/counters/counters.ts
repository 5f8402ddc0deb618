import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

/** The quota for one key in each window; a window begins with the first request that is counted in it. */
export type Policy<Name extends string = string> = {
  readonly name: Name;
  readonly quota: number;
  /** In seconds. */
  readonly window: number;
};

export type Counted = {
  readonly exceeded: boolean;
  readonly remaining: number;
  readonly milliseconds: number;
  /** Takes the count back. Nobody waits for it. */
  readonly takeBack: () => void;
};

export type Counters = { readonly count: (key: string) => Promise<Counted> };
export type MakeCounters = (policy: Policy) => Counters;

/** Separates the library's two answers from its failures, with few promises: every request waits. @throws what the store has thrown */
export const countWith = (
  limiter: Pick<RateLimiterAbstract, 'consume' | 'reward'>,
  key: string,
  began: () => void = () => undefined,
): Promise<Counted> => {
  const counted = (result: RateLimiterRes, exceeded: boolean): Counted => {
    if (result.isFirstInDuration) began();
    return {
      exceeded,
      remaining: result.remainingPoints,
      milliseconds: result.msBeforeNext,
      takeBack: () => void limiter.reward(key).catch(() => undefined), // if this fails, one request counts too much
    };
  };
  return limiter.consume(key).then(
    (within) => counted(within, false),
    (thrown: unknown) => {
      if (!(thrown instanceof RateLimiterRes)) throw thrown;
      return counted(thrown, true);
    },
  );
};
