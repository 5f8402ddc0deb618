import { setTimeout as sleep } from 'node:timers/promises';
import { spread } from '../clients.ts';
import type { Place } from '../history.ts';
import { makeCode } from '../pair.ts';
import { other } from '../round.ts';
import { holdProjector } from './projector-stopped.ts';
import { AttackFailed, type Variant } from './variant.ts';

/** Exchanges of each pair that come to the instance around the moment at which it stops. */
const crowd = 4;

/**
 * One instance stands still (SIGSTOP) with requests inside it, the other one deactivates and answers; then the first
 * goes on (SIGCONT) as if nothing had happened, and answers what it was in the middle of. Half of the time a new epoch
 * has begun meanwhile, and no reaction has revoked anything: what it sees then is open again, but not for what it is in
 * the middle of.
 */
export const stoppedInstance: Variant = {
  excuses: () => ({ unavailable: true, lostAt: null }),
  strike: async (stage, rounds, random) => {
    const stopped: Place = random() < 0.5 ? 0 : 1;
    const begunAgain = random() < 0.5;
    const codes = await Promise.all(
      rounds.flatMap((round) =>
        Array.from({ length: crowd }, async () => ({ round, grant: await makeCode(stage, round.pair) })),
      ),
    );
    const release = begunAgain ? await holdProjector(stage) : () => Promise.resolve();
    const inside = codes.map(async ({ round, grant }) => {
      await sleep(random() * spread);
      if (!round.isAvoided(stopped)) await round.calls.exchange(stopped, grant);
    });
    await sleep(random() * spread);
    stage.signal(stopped, 'SIGSTOP');
    try {
      for (const round of rounds) round.avoid(stopped);
      const ended = await Promise.all(rounds.map((round) => round.insist(other(stopped))));
      if (ended.includes(false)) throw new AttackFailed('with a stopped instance nothing can be deactivated');
      if (begunAgain) await Promise.all(rounds.map((round) => round.reactivate(other(stopped))));
    } finally {
      stage.signal(stopped, 'SIGCONT');
    }
    await Promise.all(inside);
    return { recover: release };
  },
};
