import { epochKey } from '../log-watch.ts';
import { AttackFailed, type Variant } from './variant.ts';
import { deactivateSometime } from './plain.ts';

/**
 * The event store writes and does not say so, to both instances, also of the deactivation's own event: half of the time
 * it says nothing at all, half of the time it hangs up.
 */
export const droppedReplies: Variant = {
  excuses: () => ({ unavailable: true, lostAt: null }),
  strike: async ({ node, watch }, rounds, random) => {
    const fault =
      random() < 0.5
        ? ({ kind: 'commit-then-drop' } as const)
        : ({ kind: 'end', status: 'UNAVAILABLE', written: true } as const);
    const dropped = node.faults.append(fault, { times: Infinity });
    const deactivated = Promise.all(rounds.map(deactivateSometime));
    const isWritten = await watch.until(() =>
      rounds.every(({ pair, epoch }) =>
        watch.deactivations.has(epochKey(pair.organizationId, pair.addonId, epoch)),
      ),
    );
    dropped.remove();
    await deactivated;
    const ended = await Promise.all(rounds.map((round) => round.insist(round.somewhere())));
    if (!isWritten || ended.includes(false)) throw new AttackFailed('no deactivation came through');
    return { recover: () => Promise.resolve() };
  },
};
