import type { FastifyRequest } from 'fastify';
import { setTimeout } from 'node:timers/promises';

/** Milliseconds. Longer than a sign-in takes as long as nothing is overloaded. */
export const usualBeat = 250;

/**
 * Makes answers leave at whole multiples of a time after they were begun, so that how long the work took, for a known or an
 * unknown address, a right or a wrong password, cannot be told from outside (CL-07). The last thing before they are written.
 */
export const makeAnswerBeat = (milliseconds: number) => {
  const begun = new WeakMap<FastifyRequest, number>();
  return {
    begin: (request: FastifyRequest): void => void begun.set(request, performance.now()),
    /** Nothing was looked at that could be told. */
    letGo: (request: FastifyRequest): void => void begun.delete(request),
    hold: async (request: FastifyRequest): Promise<void> => {
      const since = begun.get(request);
      if (since !== undefined && milliseconds > 0) await untilBeat(since, milliseconds);
    },
  };
};

/** Waits for the next whole multiple of a time after `since` (of `performance.now()`). */
export const untilBeat = async (since: number, milliseconds = usualBeat): Promise<void> => {
  const until = since + Math.ceil((performance.now() - since) / milliseconds) * milliseconds;
  for (let left = until - performance.now(); left > 0; left = until - performance.now())
    await setTimeout(Math.ceil(left));
};
