import { migrationsDir } from '../compose.ts';
import { migrate } from '../projections/migrate.ts';
import { answer, type Answer } from './answer.ts';
import type { CliIo } from './cli-io.ts';
import { leaf, type AddCommands } from './define.ts';

export const addMigrateCommand: AddCommands = (program, io, run) => {
  leaf(program, 'migrate', 'bring the database to the newest schema').action(() =>
    run(() => migrateDatabase(io)),
  );
};

const migrateDatabase = async (io: CliIo): Promise<Answer> => {
  const servers = await io.openServers({ eventStore: false });
  try {
    return report(await migrate(servers.databaseUrl, migrationsDir));
  } finally {
    await servers.close();
  }
};

const report = (applied: readonly string[]): Answer =>
  answer(
    { applied },
    applied.length === 0
      ? 'Nothing to do: the database has the newest schema.'
      : `Applied ${applied.length}: ${applied.join(', ')}.`,
  );
