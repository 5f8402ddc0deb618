import { type AppendProbe, RightMissing } from '../../eventstore/event-store.ts';
import { rights } from '../../eventstore/server/rights-of-account.ts';
import type { DatabaseGeneration } from '../../projections/database/database-generation.ts';
import { makeWritePool } from '../../projections/database/write-pool.ts';
import { makeWriteProbe, NoWrite } from '../../projections/database/write-probe.ts';
import { thisInstance } from '../../projections/leadership/this-instance.ts';
import type { Logger } from '../../projections/database/pipelined-reader.ts';
import { makeServerProbe, type ServerState } from './server-probe.ts';

/** The known state of the two servers, from writes that are tried when somebody asks (ADR 39). */
export type ServerStates = { readonly eventStore: ServerState; readonly database: ServerState };

type Dependencies = {
  readonly store: AppendProbe;
  readonly databaseUrl: string;
  readonly database: DatabaseGeneration;
  readonly logger: Logger;
};

export const makeServerProbes = ({ store, databaseUrl, database: generation, logger }: Dependencies) => {
  // A separate connection: a probe that waited behind other writes would report a busy instance as broken.
  const pool = makeWritePool({ databaseUrl, logger, connections: 1, database: generation });
  const ticks = () => performance.now();
  const eventStore = makeServerProbe({
    write: () => store.probe(),
    explain: explainAppend,
    isDenied: (error) => error instanceof RightMissing,
    isGranted: async (error) =>
      error instanceof RightMissing && (await store.missingRights([error.right])).length === 0,
    traffic: () => store.outcomes(),
    changed: tell(logger, 'event store'),
    ticks,
  });
  const database = makeServerProbe({
    write: makeWriteProbe(pool, thisInstance),
    explain: explainWrite,
    changed: tell(logger, 'database'),
    ticks,
  });
  return {
    read: async () => {
      const [ofEventStore, ofDatabase] = await Promise.all([eventStore(), database()]);
      return { eventStore: ofEventStore, database: ofDatabase };
    },
    close: () => pool.end(),
  };
};

const tell =
  (logger: Logger, server: string) =>
  ({ trouble }: ServerState): void =>
    trouble === null
      ? logger.info({ server }, 'the server accepts writes again')
      : logger.error({ server, trouble }, 'the server does not accept writes');

export const explainAppend = (error: unknown): string =>
  error instanceof RightMissing
    ? `not tried: the account may not ${rights[error.right].name}`
    : 'an append was not confirmed';

/** PostgreSQL's codes for problems that an operator has to fix on the server. */
const meanings: ReadonlyMap<string, string> = new Map([
  ['53100', 'its disk is full'],
  ['25006', 'it is read-only'],
  ['57P03', 'it is starting or stopping'],
  ['42501', 'the account may not write'],
]);

export const explainWrite = (error: unknown): string => {
  const code = error instanceof NoWrite ? error.code : null;
  if (code === null) return 'a write failed';
  return `${meanings.get(code) ?? 'a write failed'} (${code})`;
};
