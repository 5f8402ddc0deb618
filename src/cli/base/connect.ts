import type { Writable } from 'node:stream';
import { pino } from 'pino';
import { inContext } from '../../commands/commands.ts';
import { orClose } from '../../common/or-close.ts';
import { withClient } from '../../common/with-client.ts';
import { withTimeout } from '../../common/with-timeout.ts';
import { composeCommandLine, type CommandLine } from '../../compose/command-line.ts';
import { composeSignalStreams } from '../../compose/signal-push.ts';
import { readConfig, type Config } from '../../config/config.ts';
import type { Actor } from '../../commands/people/tokens/read-operator-token.ts';
import { breakGlass } from '../../domain/kernel/actor.ts';
import { attachEmbedded, startEmbedded } from '../../embedded/start-embedded.ts';
import { commandTimeouts, type Timeouts } from '../../eventstore/client/timeouts.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { sentenceOf, type Trouble } from '../../eventstore/server/trouble-words.ts';
import { explainTrouble, lookForTrouble } from '../../eventstore/server/trouble.ts';
import { nextTraceparent } from '../../observability/tracing/traceparent.ts';
import { serializers } from '../../process/make-logger.ts';
import { migrationsDir } from '../../process/package-root.ts';
import { migrate } from '../../projections/database/migrate.ts';
import { newestShown } from '../../projections/follow/newest-shown.ts';
import { describeMismatch } from '../../projections/log-guard/compare-with-log.ts';
import { addressAt } from '../../process/start-checks.ts';
import { findActor, presented, type WhoMay } from '../sign-in/actor.ts';
import { makeActs } from '../sign-in/acts.ts';
import { tokenFileOf } from '../sign-in/token-file.ts';
import type { CliIo } from './cli-io.ts';
import { databaseAway } from './explain.ts';
import { capitalized, NotReached } from './not-reached.ts';
import { NotAllowed } from '../../common/not-allowed.ts';
import type { CliService, Servers } from './service.ts';
import { waitForProjections, type WaitForProjectionsOptions } from './wait-for-projections.ts';

/** How long a command waits, in milliseconds. */
export type Waits = {
  /** For a server that takes connections to answer. */
  readonly reachMs: number;
  /** For the read models to show what is in the log, while they make no progress. */
  readonly shownMs: number;
  readonly timeouts: Partial<Timeouts>;
};

const usualWaits: Waits = { reachMs: 5_000, shownMs: 1_500, timeouts: commandTimeouts };

type Surroundings = Pick<CliIo, 'env'> & { readonly stderr: Writable };

/** Connects to the servers of the settings; for one without a URL, to the embedded one of the service on DATA_DIR, or starts it meanwhile. */
export const connectFrom = (
  { env, stderr }: Surroundings,
  waits = usualWaits,
): Pick<CliIo, 'openServers' | 'openService'> => ({
  openServers: async ({ unlessUnreachable = false, ...which }) => {
    const config = readConfig(env);
    if (!unlessUnreachable) await reachDatabase(config, waits);
    const { token } = await presented(env, tokenFileOf(env, config));
    if (token === null) return openServers(config, which, stderr);
    const servers = await openServers(config, { ...which, eventStore: true }, stderr);
    try {
      await checkToken({ config, servers, env, stderr, waits });
    } catch (error) {
      if (unlessUnreachable && !(error instanceof NotAllowed)) return servers;
      await servers.close();
      throw error;
    }
    return servers;
  },
  openService: async (who = 'operator', { quiet = false, reason } = {}) => {
    const config = readConfig(env);
    await reachDatabase(config, waits);
    const servers = await openServers(config, { eventStore: true, quiet }, stderr);
    return orClose(
      () => openService({ config, servers, env, stderr, waits, who, quiet, reason }),
      () => servers.close(),
    );
  },
});

/** For commands that use the servers without the service: whoever presents a token must be an operator. @throws NotAllowed */
const checkToken = async ({
  config,
  servers,
  env,
  stderr,
  waits,
}: Pick<Opening, 'config' | 'servers' | 'env' | 'stderr' | 'waits'>) => {
  const logger = logTo(stderr, env, config);
  const core = await composeCommandLine(config, servers, logger, (store) => store, waits.timeouts);
  try {
    await reachLog(core.store, servers.eventStoreUrl, waits);
    await findActor(core.commands, env, tokenFileOf(env, config), 'operator').catch((cause: unknown) => {
      if (cause instanceof NotAllowed) throw cause;
      throw new NotAllowed('token-unchecked', `${(cause as Error).message}: ${unchecked}`);
    });
  } finally {
    await core.close();
  }
};

const unchecked =
  'the token cannot be checked. Without GRANTBOOK_TOKEN, and signed out, the command runs as break-glass';

/** Unless LOG_LEVEL is set, only errors are logged, and never on standard output, which is for results. */
const logTo = (stderr: Writable, { LOG_LEVEL }: CliIo['env'], { logLevel }: Config) =>
  pino({ level: LOG_LEVEL ? logLevel : 'error', serializers }, stderr);

type Which = { readonly eventStore: boolean; readonly quiet?: boolean };

const openServers = async (config: Config, which: Which, stderr: Writable): Promise<Servers> => {
  const { dataDir, databaseUrl, eventStoreUrl } = config;
  const need = { postgres: databaseUrl === null, eventStore: which.eventStore && eventStoreUrl === null };
  const embedded: Awaited<ReturnType<typeof attachEmbedded>> = await (
    which.quiet ? startEmbedded : attachEmbedded
  )({
    dataDir,
    need,
    waits: (why) => void stderr.write(`Waiting: ${why}\n`),
  });
  return {
    databaseUrl: databaseUrl ?? embedded.databaseUrl ?? '',
    eventStoreUrl: eventStoreUrl ?? embedded.eventStoreUrl ?? '',
    baseUrl: embedded.baseUrl ?? null,
    managementUrl: embedded.managementUrl ?? null,
    close: embedded.close,
  };
};

type Opening = Surroundings & {
  readonly config: Config;
  readonly servers: Servers;
  readonly waits: Waits;
  readonly who: WhoMay | 'nobody';
  readonly quiet: boolean;
  readonly reason: string | undefined;
};

const openService = async ({
  config,
  servers,
  waits,
  who,
  quiet,
  env,
  stderr,
  reason,
}: Opening): Promise<CliService> => {
  const logger = logTo(stderr, env, config);
  // No service is running, so the command itself must migrate the embedded database.
  const isAlone = servers.baseUrl === null && config.databaseUrl === null;
  if (isAlone) await migrate(servers.databaseUrl, migrationsDir);
  const tokenFile = tokenFileOf(env, config);
  const acts = makeActs(stderr);
  const core = await composeCommandLine(config, servers, logger, acts.named, waits.timeouts);
  const opened = async () => {
    await reach(core, servers.eventStoreUrl, waits);
    await refuseMismatch(core);
    const found = who === 'nobody' ? nobody : await findActor(core.commands, env, tokenFile, who);
    if (who !== 'nobody') acts.begin(found, () => core.countBreakGlass());
    return {
      actor: found,
      stopWorkers: isAlone && !quiet ? await workAlone(core, waits) : () => Promise.resolve(),
    };
  };
  const { actor, stopWorkers } = await orClose(opened, core.close);
  const context = { traceparent: nextTraceparent(), ...(reason !== undefined && { reason }) };
  const commands = inContext(core.commands, context);
  const own = config.baseUrl ?? servers.baseUrl ?? addressAt(config.host, config.port);
  return {
    actor,
    tokenFile,
    commands,
    context,
    readModels: core.readModels,
    store: core.store,
    rebuilds: core.rebuilds(commands),
    signingKeys: core.signingKeys,
    sign: core.sign,
    audit: core.audit,
    providers: config.signIn.providers,
    beginOnce: core.beginOnce,
    baseUrl: own,
    databaseUrl: servers.databaseUrl,
    eventStoreUrl: servers.eventStoreUrl,
    logHeads: core.logHeads,
    personal: core.personal.data,
    reactions: core.reactions,
    keysOfPersons: core.personal,
    signalsProjection: core.signalsProjection(own),
    deliverLink: core.deliverLink(own),
    signals: composeSignalStreams(core, own),
    settle: (position, options) => settleOn(core, waits, position, options),
    close: async () => {
      await stopWorkers();
      await acts.counted();
      await core.close();
      await servers.close();
    },
  };
};

const nobody: Actor = { by: breakGlass, user: null };

const settleOn = async (
  { readModels, store }: CommandLine,
  { reachMs, shownMs }: Waits,
  position?: Position,
  options?: WaitForProjectionsOptions,
): Promise<boolean> => {
  // An import waits for its own events, however many they are; after any other command there may be nothing to wait for.
  const upTo =
    options === undefined
      ? await newestShown(store, readModels, position ? shownMs : reachMs, position).catch(() => position)
      : position;
  return !upTo || waitForProjections(readModels, upTo, { stepMs: shownMs, ...options });
};

/** Runs the projector for the duration of the command, once the read models have caught up with the log. */
const workAlone = async (core: CommandLine, waits: Waits): Promise<() => Promise<void>> => {
  const workers = core.startWorkers();
  await settleOn(core, waits);
  return () => workers.stop();
};

/** What an older log would answer is wrong, and what would be appended to it, lost. */
const refuseMismatch = async (core: CommandLine): Promise<void> => {
  const mismatch = await core.logMismatch(0);
  if (mismatch) throw new NotReached('EVENTSTORE_URL', capitalized(describeMismatch(mismatch)));
};

/** Finds unreachable servers before a command is half done. */
const reach = async (
  { store, readModels }: CommandLine,
  eventStoreUrl: string,
  waits: Waits,
): Promise<void> => {
  await Promise.all([reachLog(store, eventStoreUrl, waits), readModels.checkpoint().catch(unreachable)]);
};

/** A database that takes connections and does not answer would delay each part of a command in turn. */
const reachDatabase = async ({ databaseUrl }: Config, { reachMs }: Waits): Promise<void> => {
  if (databaseUrl === null) return;
  const config = { connectionString: databaseUrl, connectionTimeoutMillis: reachMs };
  await withClient(config, () => Promise.resolve()).catch(unreachable);
};

/** A problem that retries cannot solve is reported before the first try, not after all of them. */
const reachLog = async (store: CommandLine['store'], url: string, { reachMs }: Waits): Promise<void> => {
  const refuse = (trouble: Trouble, cause?: unknown): never => {
    throw new NotReached('EVENTSTORE_URL', capitalized(sentenceOf(trouble)), { cause });
  };
  const trouble = await lookForTrouble(url);
  if (trouble?.isFinal) refuse(trouble);
  await withTimeout(reachMs, store.head()).catch(async (cause: unknown) =>
    refuse(await explainTrouble(url, cause), cause),
  );
};

const unreachable = (cause: unknown): never => {
  if ((cause as { code?: unknown }).code !== '42P01') throw databaseAway(cause);
  throw new NotReached('DATABASE_URL', 'The database has no tables yet: run `grantbook migrate`', { cause });
};
