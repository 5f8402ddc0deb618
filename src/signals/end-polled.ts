import type { Pool } from 'pg';
import { inPoolTransaction } from '../common/transaction.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import { endSets, type Ending } from './set-queue.ts';

export type EndPolled = {
  /** Commits what a receiver says about its SETs. */
  readonly endSets: (streamId: string, endings: readonly Ending[]) => Promise<void>;
  /** How many SETs receivers of this instance could not use (`setErrs`). */
  readonly failures: () => number;
};

export const makeEndPolled = (dependencies: {
  readonly pool: Pool;
  readonly now: () => Instant;
}): EndPolled => {
  const { pool, now } = dependencies;
  let failures = 0;
  return {
    async endSets(streamId, endings) {
      if (endings.length === 0) return;
      const isError = ({ error }: Ending) => error !== null;
      const at = now();
      failures += await inPoolTransaction(pool, async (tx) => {
        const failed = await endSets(tx, streamId, endings.filter(isError), at);
        await endSets(
          tx,
          streamId,
          endings.filter((ending) => !isError(ending)),
          at,
        );
        return failed;
      });
    },
    failures: () => failures,
  };
};
