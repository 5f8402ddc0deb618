import { withClient } from '../../common/with-client.ts';
import { changeVersion, readVersions } from './versions.ts';
import type { RebuildDependencies } from './session.ts';

/**
 * Records in the log every swap that is not recorded there yet: the swap is committed first, and the command may have
 * crashed then. The next command records it, with the time at which it happened; two that do it at once append it once.
 */
export const announceSwaps = ({
  databaseUrl,
  noteSwap,
}: Pick<RebuildDependencies, 'databaseUrl' | 'noteSwap'>): Promise<number> =>
  withClient({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 }, async (client) => {
    const untold = (await readVersions(client))
      .filter(({ swapTold }) => swapTold === false)
      .sort((a, b) => (a.swappedAt ?? 0) - (b.swappedAt ?? 0));
    for (const { name: projection, version, previousVersion, swappedAt } of untold) {
      if (previousVersion === null || swappedAt === null) continue;
      await noteSwap({ projection, version, previousVersion, at: swappedAt });
      await changeVersion(client, { name: projection, version }, { swap_told: true });
    }
    return untold.length;
  });
