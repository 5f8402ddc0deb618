import { pino } from 'pino';
import { migrationsDir } from '../../process/package-root.ts';
import { composePersonal } from '../../compose/personal.ts';
import { readConfig } from '../../config/config.ts';
import { serializers } from '../../process/make-logger.ts';
import type { KeyKeeping } from '../../personal/key-keeping.ts';
import { MasterKeyMissing } from '../../personal/wrapped-key.ts';
import { migrate } from '../../projections/database/migrate.ts';
import { refused, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { NotReached } from '../base/not-reached.ts';
import type { Servers } from '../base/service.ts';

/** Opens the keys of persons without a projector, which would process events before their keys are restored. */
export const withKeyKeeping = async (
  io: CliIo,
  which: { readonly eventStore: boolean },
  use: (keeping: KeyKeeping, servers: Servers) => Promise<Answer>,
): Promise<Answer> => {
  const config = readConfig(io.env);
  const servers = await io.openServers(which);
  try {
    if (servers.baseUrl === null && config.databaseUrl === null)
      await migrate(servers.databaseUrl, migrationsDir);
    const personal = await composePersonal(config, servers, pino({ level: 'error', serializers }, io.stderr));
    try {
      return await use(personal.keeping, servers);
    } finally {
      await personal.close();
    }
  } catch (error) {
    if (error instanceof MasterKeyMissing) return refused('master-key-missing', error.message);
    if ((error as { readonly code?: unknown }).code === '42P01')
      throw new NotReached('DATABASE_URL', 'The database has no tables yet: run `grantbook migrate`', {
        cause: error,
      });
    throw error;
  } finally {
    await servers.close();
  }
};
