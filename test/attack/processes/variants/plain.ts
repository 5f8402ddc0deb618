import { setTimeout as sleep } from 'node:timers/promises';
import { spread } from '../clients.ts';
import type { Place } from '../history.ts';
import type { Round } from '../round.ts';
import type { Variant } from './variant.ts';

/** No fault at all: the deactivation at a random moment, one time in four by two administrators at both instances. */
export const plain: Variant = {
  excuses: () => ({ unavailable: false, lostAt: null }),
  strike: async (_stage, rounds) => {
    await Promise.all(rounds.map(deactivateSometime));
    return { recover: () => Promise.resolve() };
  },
};

export const deactivateSometime = async (round: Round): Promise<void> => {
  await sleep(round.random() * spread);
  const both: readonly Place[] = [0, 1];
  await (round.random() < 0.25 ? round.deactivate(...both) : round.deactivate(round.somewhere()));
};
