import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from '../history.ts';
import { other, type Round } from '../round.ts';
import { AttackFailed, type Variant } from './variant.ts';

/**
 * One instance stands still (SIGSTOP) with requests inside it, the other one deactivates and answers; then the first
 * goes on (SIGCONT) as if nothing had happened, and answers what it was in the middle of.
 */
export const stoppedInstance: Variant = {
  excuses: () => ({ unavailable: true, lostAt: null }),
  strike: async (stage, rounds, random) => {
    const stopped: Place = random() < 0.5 ? 0 : 1;
    const inside = rounds.flatMap((round) => askAt(stopped, round));
    await sleep(random() * 6);
    stage.signal(stopped, 'SIGSTOP');
    try {
      for (const round of rounds) round.avoid(stopped);
      const ended = await Promise.all(rounds.map((round) => round.insist(other(stopped))));
      if (ended.includes(false))
        throw new AttackFailed('beside a stopped instance nothing can be deactivated');
    } finally {
      stage.signal(stopped, 'SIGCONT');
    }
    await Promise.all(inside);
    return { recover: () => Promise.resolve() };
  },
};

/** With the codes that nobody else uses before the end: what is in the middle here is in the middle of an issuance. */
const askAt = (place: Place, { calls, grants }: Round): readonly Promise<unknown>[] => [
  calls.exchange(place, grants.kept),
  ...grants.used
    .slice(0, 1)
    .flatMap((grant) => grant.pairs.slice(-1).map((tokens) => calls.bearer('list', place, grant, tokens))),
];
