import { raceAbort } from '../common/linked-abort.ts';
import { migrationsDir } from '../process/package-root.ts';
import { refuseUnreleasedLog } from '../process/start-checks.ts';
import { readConfig } from '../config/config.ts';
import { KafkaUnavailable } from '../kafka/kafka-client.ts';
import type { TopicReport } from '../kafka/topics.ts';
import { migrate, type MigrationProgress } from '../projections/database/migrate.ts';
import { duration } from './base/progress.ts';
import { answer, refused, type Answer } from './base/answer.ts';
import type { CliIo } from './base/cli-io.ts';
import { leaf, type AddCommands } from './base/define.ts';
import { presentTopic } from './kafka/kafka-facts.ts';

export const addMigrateCommand: AddCommands = (program, io, run) => {
  leaf(
    program,
    'migrate',
    'migrate the database to the newest schema, and create the topics if Kafka is configured',
  )
    .option('--finish', 'also remove what only the version before needed, once none of its instances runs')
    .action(({ finish = false }: { finish?: boolean }) => run(() => migrateAll(io, finish)));
};

const migrateAll = async (io: CliIo, finish: boolean): Promise<Answer> => {
  const { kafka, lifetimes, eventStoreUrl } = readConfig(io.env);
  const beforeFirst = refuseUnreleasedLog(eventStoreUrl);
  const applied = await migrateDatabase(io, { finish, beforeFirst });
  if (applied === null) return refused('interrupted', 'it was interrupted: run it again to continue');
  const tables =
    applied.length === 0
      ? 'Nothing to do: the database has the newest schema.'
      : `Applied ${applied.length}: ${applied.join(', ')}.`;
  if (kafka === null) return answer({ applied }, tables);
  try {
    const { ensureTopics } = await import('./kafka/broker.ts');
    const topics = await ensureTopics(kafka, lifetimes);
    return report(applied, tables, topics);
  } catch (error) {
    if (!(error instanceof KafkaUnavailable)) throw error;
    const message = `The tables are migrated, but Kafka is not ready. ${error.message} (KAFKA_BROKERS)`;
    return {
      exitCode: 1,
      json: { applied, error: { code: 'not-reached', message, setting: 'KAFKA_BROKERS' } },
      text: `${tables}\n${message}. Run it again.`,
    };
  }
};

/** Null when it was interrupted: the migration that runs then is undone with its connection. */
const migrateDatabase = async (
  io: CliIo,
  options: { readonly finish: boolean; readonly beforeFirst: () => Promise<void> },
): Promise<readonly string[] | null> => {
  const servers = await io.openServers({ eventStore: false });
  try {
    const told = (progress: MigrationProgress) => void io.stderr.write(`${saying(progress)}\n`);
    const migrating = migrate(servers.databaseUrl, migrationsDir, { ...options, told });
    return (await raceAbort(migrating, io.signal)) ?? null;
  } finally {
    await servers.close();
  }
};

const saying = ({ now, done, of, perMinute, secondsLeft }: MigrationProgress): string =>
  now === 'waiting'
    ? 'waiting for another process that is migrating'
    : `${now}: ${done} of ${of} done, ${perMinute} a minute${secondsLeft === null ? '' : `, ${duration(secondsLeft)} to go`}`;

const report = (applied: readonly string[], tables: string, topics: readonly TopicReport[]): Answer => {
  const made = topics.filter(({ state }) => state === 'made').map(({ name }) => name);
  const said = topics.flatMap(({ name, problems, notes }) => [
    ...problems.map((problem) => `  ${name}: ${problem}`),
    ...notes.map((note) => `  ${name}: note: ${note}`),
  ]);
  const text = [
    tables,
    made.length === 0 ? 'No topic was created.' : `Made ${made.length} topics: ${made.join(', ')}.`,
    ...said,
  ].join('\n');
  return {
    exitCode: topics.some(({ state }) => state === 'missing') ? 1 : 0,
    json: { applied, topics: topics.map(presentTopic) },
    text,
  };
};
