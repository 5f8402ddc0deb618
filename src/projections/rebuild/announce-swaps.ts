import { withClient } from '../../common/with-client.ts';
import { changeVersion, readVersions } from './versions.ts';
import type { RebuildDependencies } from './session.ts';

/** Records every committed swap that the log lacks, at its own time: the command may have crashed. Twice appends once. */
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
