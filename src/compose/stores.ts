import type { Logger } from 'pino';
import { makeBackgroundTasks } from '../commands/kernel/background-tasks.ts';
import { parseTokenKeys } from '../commands/credentials/token-keys.ts';
import { makeOutageWatch } from '../commands/log/watch-outages.ts';
import type { Config } from '../config/config.ts';
import { readKeysFile } from '../embedded/keys-file.ts';
import { connectEventStore } from '../eventstore/client/esdb.ts';
import type { EventStore } from '../eventstore/event-store.ts';
import type { Timeouts } from '../eventstore/client/timeouts.ts';
import {
  makeDatabaseGeneration,
  type DatabaseGeneration,
} from '../projections/database/database-generation.ts';
import { makeFence } from '../projections/fence/fence.ts';
import { guardGeneration } from '../projections/database/generation-guard.ts';
import { makeNoteUnreadable } from '../projections/parking/park.ts';
import { makeOutageTable } from '../projections/working-state/outage-table.ts';
import { makeSharedClock } from '../projections/database/shared-clock.ts';
import { makeLogWatch } from '../projections/log-guard/watch-log.ts';
import { observedFence, observedStore } from '../observability/tracing/observed-ports.ts';
import { makeOperations, type Operations } from '../observability/tracing/operations.ts';
import type { Telemetry } from '../observability/tracing/telemetry.ts';
import { orClose } from '../common/or-close.ts';
import { composePersonal } from './personal.ts';
import { observedReader, observePool } from '../projections/database/observe-queries.ts';
import { makePipelinedReader } from '../projections/database/pipelined-reader.ts';
import { startListening } from '../projections/database/listener.ts';
import { watchProgress } from '../projections/follow/progress.ts';
import { makeSharedSession } from '../projections/leadership/shared-session.ts';
import { makeStandBy } from '../projections/leadership/stand-by.ts';
import { makeWritePool } from '../projections/database/write-pool.ts';

export type Servers = { readonly databaseUrl: string; readonly eventStoreUrl: string };

export type Opening = {
  readonly config: Config;
  readonly servers: Servers;
  readonly logger: Logger;
  /** Where spans are sent; null: nowhere. */
  readonly telemetry: Telemetry | null;
  /** Wraps the store of every append: the command line adds the name of the actor. */
  readonly named: <Store extends EventStore>(store: Store) => Store;
  readonly timeouts?: Partial<Timeouts>;
  /** For a process that reads the same streams again and again. */
  readonly keep?: readonly string[];
};

/** The log, the fence, the database, and what all parts need: keys and the time. The tables have to exist (`migrate`). */
export const openStores = async ({
  config,
  servers,
  logger,
  telemetry,
  named,
  timeouts = {},
  keep = [],
}: Opening) => {
  const { databaseUrl } = servers;
  const waits = makeOperations(telemetry);
  const keys = config.tokenKeys ?? parseTokenKeys(await readKeysFile(config.dataDir, 'token-keys'));
  const generation = makeDatabaseGeneration();
  const personal = await composePersonal(config, { databaseUrl, database: generation }, logger);
  const database = openDatabase({
    databaseUrl,
    sessions: config.databaseSessions,
    generation,
    logger,
    waits,
  });
  const { pool, reader, fenceReader } = database;
  const logWatch = makeLogWatch({ logger });
  const background = makeBackgroundTasks(logger);
  const connected = await orClose(
    () =>
      connectEventStore({
        url: servers.eventStoreUrl,
        logger,
        timeouts,
        keep,
        resumed: logWatch.resumed,
        unreadable: makeNoteUnreadable({ pool, inBackground: background.inBackground, logger }),
        personal: personal.data,
      }),
    () => Promise.all([database.closeDatabase(), personal.close()]),
  );
  const clock = makeSharedClock({ reader, own: () => Date.now(), logger });
  await clock.compare();
  const { now } = clock;
  const outages = makeOutageWatch({ now, table: makeOutageTable({ pool }), logger });
  const store = named(observedStore(outages.watchStore(connected), waits));
  personal.askLog(store);
  const guarded = makeFence({ pool, reader: guardGeneration(fenceReader, generation) });
  const fence = observedFence(outages.watchFence(guarded), waits);
  return {
    config,
    eventStoreUrl: servers.eventStoreUrl,
    logger,
    telemetry,
    keys,
    personal,
    ...database,
    generation,
    logWatch,
    background,
    /** The connection itself: its calls are neither watched for outages nor traced. */
    connected,
    clock,
    /** The time that all instances use. */
    now,
    outages,
    store,
    fence,
    /** Times what the service waits for. */
    waits,
  };
};

export type Stores = Awaited<ReturnType<typeof openStores>>;

/** In this order: running work, all connections, and last the keys of persons, which reads need; then `others`. */
export const closeStores = async (stores: Stores, others: readonly (() => Promise<unknown>)[]) => {
  stores.clock.stop();
  await stores.background.settled();
  await Promise.all([stores.closeDatabase(), ...others.map((close) => close()), stores.store.close()]);
  await stores.personal.close();
};

type Dependencies = {
  readonly databaseUrl: string;
  readonly sessions: number;
  readonly generation: DatabaseGeneration;
  readonly logger: Logger;
  readonly waits: Pick<Operations, 'begin'>;
};

/**
 * Besides those that commands write with: four leaders, the relay, one that those share that write rarely, one that listens, five that read,
 * two each for sign-ins and keys of persons, one for readiness and one that looks for a switchover.
 */
const otherSessions = 18;

const openDatabase = ({ databaseUrl, sessions, generation: database, logger, waits }: Dependencies) => {
  const beginQuery = (name: string) => waits.begin('query', name);
  const pool = makeWritePool({ databaseUrl, logger, connections: sessions - otherSessions, database });
  observePool(pool, beginQuery);
  // Few, and separate: a flood of sign-ins must not make other writes wait.
  const signInPool = makeWritePool({ databaseUrl, logger, connections: 2, database });
  observePool(signInPool, beginQuery);
  const lists = makePipelinedReader({ databaseUrl, logger, connections: 2, database });
  const reader = observedReader(lists, beginQuery);
  // Bearer checks, refresh and exchange must not wait behind a long list page.
  const fenceReader = observedReader(makePipelinedReader({ databaseUrl, logger, database }), beginQuery);
  const listener = startListening({ databaseUrl, logger, database });
  const progress = watchProgress({ listener, reader, database });
  const standBy = makeStandBy(listener);
  const led = { databaseUrl, database, logger, sharing: { standBy } };
  const closeDatabase = async (): Promise<void> => {
    progress.close();
    await Promise.all([listener.close(), reader.close(), fenceReader.close(), pool.end(), signInPool.end()]);
  };
  return {
    databaseUrl,
    pool,
    signInPool,
    reader,
    fenceReader,
    listener,
    progress,
    /** What workers need to be led, */
    led,
    /** and those that write rarely. */
    ledRarely: { ...led, sharing: { standBy, open: makeSharedSession() } },
    closeDatabase,
  };
};
