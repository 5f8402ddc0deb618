import { withClient } from '../../common/with-client.ts';
import { type DatabaseGeneration, DatabaseReadOnly } from './database-generation.ts';
import type { Logger, PipelinedReader } from './pipelined-reader.ts';
import { tellAgainAndAgain } from '../follow/tell-progress.ts';

type Dependencies = {
  readonly databaseUrl: string;
  readonly database: DatabaseGeneration;
  readonly logger: Pick<Logger, 'info' | 'error'>;
};

/** In milliseconds: together less than five seconds, after which every connection has to know. */
const everyMs = 2_000;
const patienceMs = 2_000;

/** Every two seconds, with a new connection: a proxy keeps old ones to the server used before a switchover. */
export const startWatchingDatabase = ({
  databaseUrl,
  database,
  logger,
}: Dependencies): { stop(): Promise<void> } => {
  let wasReadOnly = false;
  const config = {
    connectionString: databaseUrl,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    application_name: 'grantbook switchover',
  };
  const watching = tellAgainAndAgain(
    async () => {
      const isReadOnly = await withClient(config, (client) => database.meet(client)).then(
        () => false,
        (error: unknown) => (error instanceof DatabaseReadOnly ? true : null), // whoever needs it reports the rest
      );
      if (isReadOnly === null || isReadOnly === wasReadOnly) return;
      wasReadOnly = isReadOnly;
      if (isReadOnly) logger.error({ alarm: true }, readOnly);
      else logger.info({}, 'DATABASE_URL leads to a server that accepts writes again');
    },
    { firstMs: everyMs, everyMs },
  );
  return { stop: () => Promise.resolve(watching.stop()) };
};

const readOnly =
  'DATABASE_URL leads to a server that is read-only, or a standby: nothing is read or written there; waiting for one that accepts writes';

/** Resolves with any answer of the database. @throws when it cannot be reached */
export const ping = async (reader: PipelinedReader): Promise<void> => void (await reader.query(anything, []));

const anything = { name: 'anything', text: 'select 1' };
