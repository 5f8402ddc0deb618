import type { FastifyRequest } from 'fastify';
import { setTimeout } from 'node:timers/promises';

/** In milliseconds. Longer than a sign-in takes without overload. */
export const usualBeat = 250;

/** Delays answers to whole multiples of a fixed time, so that duration does not tell whether an address or password is right (CL-07). */
export const makeAnswerBeat = (milliseconds: number) => {
  const begun = new WeakMap<FastifyRequest, number>();
  return {
    begin: (request: FastifyRequest): void => void begun.set(request, performance.now()),
    /** For answers that reveal nothing: no delay. */
    letGo: (request: FastifyRequest): void => void begun.delete(request),
    hold: async (request: FastifyRequest): Promise<void> => {
      const since = begun.get(request);
      if (since !== undefined && milliseconds > 0) await untilBeat(since, milliseconds);
    },
  };
};

/** Waits until the next whole multiple of `milliseconds` after `since` (of `performance.now()`). */
export const untilBeat = async (since: number, milliseconds = usualBeat): Promise<void> => {
  const until = since + Math.ceil((performance.now() - since) / milliseconds) * milliseconds;
  for (let left = until - performance.now(); left > 0; left = until - performance.now())
    await setTimeout(Math.ceil(left));
};
