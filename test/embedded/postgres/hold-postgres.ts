import { startPostgres } from '#eventstore-node/postgres';

/** Starts a server on the folder given, prints its connection string, and lives until it is asked to end. */
const postgres = await startPostgres({ dataDir: process.argv[2] ?? '', settings: { fsync: 'off' } });
process.stdout.write(`${postgres.url('postgres')}\n`);
process.once('SIGTERM', () => void postgres.close());
