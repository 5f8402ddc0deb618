import { join } from 'node:path';
import type { Logger } from 'pino';
import { makeSignJws, type SignJws } from '../audit/jws.ts';
import { headBefore } from '../audit/log-heads/head-before.ts';
import { timeProblem } from '../audit/time-in-log.ts';
import { newestRemoval } from '../audit/retention/removals.ts';
import { makeBackgroundTasks } from '../commands/background-tasks.ts';
import type { Commands } from '../commands/commands.ts';
import { makeCommands } from '../commands/make-commands.ts';
import { addonChanges, makeAddonDirectory } from '../commands/find-addon.ts';
import { defaultLifetimes, type CommandDependencies } from '../commands/dependencies.ts';
import { makeNewId } from '../commands/new-id.ts';
import { makePasswords, usualTurns } from '../commands/passwords.ts';
import { makeRevocations, revocationCauses } from '../reactions/make-revocations.ts';
import { makeOutageWatch } from '../commands/watch-outages.ts';
import { readSkippedEvents } from '../commands/skip-parked-event.ts';
import {
  macFor,
  parseTokenKeys,
  subkeyFor,
  type KeyPurpose,
  type TokenKeys,
} from '../commands/token-keys.ts';
import { makeDepositTargets } from '../audit/deposits/deposit-targets.ts';
import { composeAudit, type Audit } from './audit.ts';
import { eventTypesByCheckpoint } from './event-types-by-checkpoint.ts';
import { makeLogHeads, startLogHeads, type LogHeads } from '../reactions/log-heads.ts';
import { composePersonal, type Personal } from './personal.ts';
import { judgeReadiness, type WorkerStatuses } from '../readiness/judge-readiness.ts';
import { startRetention } from '../reactions/retention.ts';
import { composeServers, type ServerStates } from '../readiness/server-probes.ts';
import { composeOperator, type Operations } from '../readiness/operator-status.ts';
import type { Config } from '../config.ts';
import { connectionLimit } from '../connection-limit.ts';
import { readKeysFile } from '../embedded/keys-file.ts';
import { connectEventStore } from '../eventstore/esdb.ts';
import { withTimeout, withTimeoutOrNull } from '../common/with-timeout.ts';
import type {
  AppendProbe,
  EventStore,
  LogReader,
  LogSubscriptions,
  StreamRemover,
} from '../eventstore/event-store.ts';
import { readNetworkOf } from '../http/client-network.ts';
import type { HttpDependencies } from '../http/dependencies.ts';
import { asyncApiDocument } from '../kafka/contract/async-api/document.ts';
import type { KafkaStatus } from '../kafka/status.ts';
import { defaultTopicNames } from '../kafka/topics.ts';
import { databaseCounters } from '../limits/database-counters.ts';
import { memoryCounters } from '../limits/memory-counters.ts';
import { makeRateLimits, type RateLimits } from '../limits/rate-limits.ts';
import { kafkaMetrics } from '../metrics/kafka-metrics.ts';
import { headDepositMetrics } from '../metrics/head-deposit-metrics.ts';
import { readCountMetrics } from '../metrics/read-count-metrics.ts';
import { logHeadMetrics } from '../metrics/log-head-metrics.ts';
import { queueMetrics } from '../metrics/queue-metrics.ts';
import type { Metric } from '../metrics/metric.ts';
import { processMetrics } from '../metrics/process-metrics.ts';
import { signingKeyMetrics } from '../metrics/signing-key-metrics.ts';
import { personalKeyMetrics } from '../metrics/personal-key-metrics.ts';
import { parkedMetrics } from '../metrics/parked-metrics.ts';
import { removedRowMetrics, retentionMetrics } from '../metrics/retention-metrics.ts';
import { sharedMetrics, trustMetrics, type TrustFacts } from '../metrics/trust-metrics.ts';
import { serverMetrics, serverStateMetrics, workerMetrics } from '../metrics/worker-metrics.ts';
import { personOfStream } from '../domain/personal-data.ts';
import {
  makeEndInteraction,
  makeHasEnded,
  type EndInteraction,
  type HasEnded,
} from '../projections/ended-interactions.ts';
import { makeDatabaseGeneration } from '../projections/database-generation.ts';
import { findMismatch, type LogMismatch } from '../projections/compare-with-log.ts';
import type { Instant } from '../domain/decision.ts';
import { makeFence } from '../projections/fence.ts';
import { noteEventTypes } from '../projections/checkpoint-event-types.ts';
import { readEpochGrants, readOwnGrants } from '../projections/grants-to-end.ts';
import { guardGeneration } from '../projections/generation-guard.ts';
import type { OperatorStatus } from '../projections/operations/status.ts';
import { makeReadCounter, type ReadCounter } from '../projections/list-reads/count-reads.ts';
import { startKeepingReads } from '../projections/list-reads/keep-reads.ts';
import { makeLogMarks } from '../projections/log-marks.ts';
import { makeNoteUnreadable } from '../projections/note-unreadable.ts';
import { makeOutageTable } from '../projections/outage-table.ts';
import { readOperatorFacts, type OperatorFacts } from '../projections/operator-facts.ts';
import { watchProgress } from '../projections/progress.ts';
import { makeKnownRecords } from '../projections/known-records.ts';
import { startProjector } from '../projections/projector.ts';
import { startReaction } from '../reactions/reaction.ts';
import { makePipelinedReader } from '../projections/pipelined-reader.ts';
import { type RemovedRows, startCleaningTables } from '../projections/retention/clean-tables.ts';
import { readModelProjections } from '../projections/read-model-projections.ts';
import { makeReadModels } from '../projections/read-models-pg.ts';
import type { ReadModels } from '../projections/read-models.ts';
import { type CountSilentGrant, makeCountSilentGrant } from '../projections/silent-grants.ts';
import { observedReader, observePool } from '../projections/observe-queries.ts';
import { observedFence } from '../tracing/observed-fence.ts';
import { observedStore } from '../tracing/observed-store.ts';
import { makeOperations } from '../tracing/operations.ts';
import type { Telemetry } from '../tracing/telemetry.ts';
import { makeCountBreakGlass } from '../projections/break-glass.ts';
import { makeSharedClock } from '../projections/shared-clock.ts';
import { makeSignInCounters } from '../projections/sign-in-counters.ts';
import { startFenceReadiness } from '../projections/fence-readiness.ts';
import { watchEvents } from '../projections/watch-events.ts';
import { makeLogWatch } from '../projections/watch-log.ts';
import { makeWritePool } from '../projections/write-pool.ts';
import { builtCommit } from '../built-commit.ts';
import { packageRoot, packageVersion } from '../package-root.ts';
import { makeIdTokens, type IdTokens } from '../signing/id-tokens.ts';
import { startKeepingKeys } from '../signing/keep-keys.ts';
import { makeKeyLog } from '../signing/key-log.ts';
import { makeKeyRing } from '../signing/key-ring.ts';
import { makeKeyStore } from '../signing/key-store.ts';
import { makeKeyTable } from '../signing/key-table.ts';
import { makeSigningKeys, type SigningKeys } from '../signing/signing-keys.ts';

/** SQL files are not compiled: they are read from the sources. */
export const migrationsDir = join(packageRoot, 'src/projections/migrations');

export type Servers = { readonly databaseUrl: string; readonly eventStoreUrl: string };

/** Both sides of the service over its two servers, without workers and without HTTP. */
export type Core = {
  readonly commands: Commands;
  readonly readModels: ReadModels;
  readonly idTokens: IdTokens;
  readonly signingKeys: SigningKeys;
  /** With a key of the JWKS. */
  readonly sign: SignJws;
  readonly logHeads: LogHeads;
  readonly endInteraction: EndInteraction;
  readonly hasEnded: HasEnded;
  readonly countSilentGrant: CountSilentGrant;
  readonly reads: ReadCounter;
  /** Counts a run of the command line that acts without a token, for the metrics of all instances. */
  readonly countBreakGlass: () => Promise<void>;
  readonly rateLimits: RateLimits;
  readonly telemetry: Telemetry | null;
  /** How long what the service waits for takes, and who waits for a turn. */
  readonly waitMetrics: () => readonly Metric[];
  /** The time by which all instances judge. */
  readonly now: () => Instant;
  readonly store: EventStore & LogSubscriptions & LogReader & AppendProbe & StreamRemover;
  readonly audit: Audit;
  readonly keys: TokenKeys;
  readonly personal: Personal;
  /** What reacts to events, by the names of the checkpoints: for events of theirs that were parked. */
  readonly reactions: Readonly<Record<string, Reaction>>;
  /** Says which events this version reads, before it appends any: older ones that lead stop before what they do not know (ADR 45). */
  noteEventTypes(): Promise<void>;
  /**
   * What has to run on at least one instance: the projector and the reactions.
   * @param baseUrl where the service is reached; without one, as for a command, Kafka is left alone
   */
  startWorkers(baseUrl?: string): Workers;
  readonly operations: Operations;
  /** What the database has seen of the log and the log does not have; null when they agree. @throws when one is away */
  logMismatch(patienceMs: number): Promise<LogMismatch | null>;
  /** Whether both servers take writes: tried when asked, every five seconds at most. */
  readonly lookAtServers: () => Promise<ServerStates>;
  readonly operatorFacts: () => Promise<OperatorFacts>;
  close(): Promise<void>;
};

type Reaction = ReturnType<typeof makeRevocations>;

export type Workers = {
  readonly trusted: HttpDependencies['trusted'];
  /** Resolves once the fence holds everything that was in the log at the start. */
  readonly ready: Promise<void>;
  readonly status: () => WorkerStatuses;
  /** Null without KAFKA_BROKERS. */
  readonly kafka: () => KafkaStatus | null;
  /** How far behind the groups were, lately. */
  readonly lag: () => OperatorStatus['lag'];
  /** Null where no cleaner runs. */
  readonly removedRows: () => RemovedRows | null;
  readonly trust: () => TrustFacts;
  /** When all counts of reads were stored last; null where none are made. */
  readonly readsStoredAt: () => number | null;
  /** Resolves with a sentence when the event store has gone back under the running service: it has to stop. */
  readonly logLost: Promise<string>;
  stop(): Promise<void>;
};

/** THE composition root: the only place where the rooms meet. The tables have to be there (`migrate`). */
export const composeCommands = async (
  config: Config,
  servers: Servers,
  logger: Logger,
  telemetry: Telemetry | null = null,
  /** What every append goes through: the command line names who acts. */
  named: <Store extends EventStore>(store: Store) => Store = (store) => store,
): Promise<Core> => {
  // It loads kafkajs, a fifth of all files that a process without brokers would read.
  const withBrokers = config.kafka && (await import('./kafka.ts'));
  const observed = makeOperations(telemetry);
  const beginQuery = (name: string) => observed.begin('query', name);
  const { databaseUrl } = servers;
  const keys = config.tokenKeys ?? parseTokenKeys(await readKeysFile(config.dataDir, 'token-keys'));
  const database = makeDatabaseGeneration();
  const personal = await composePersonal(config, { databaseUrl, database }, logger);
  const pool = makeWritePool({ databaseUrl, logger, database });
  observePool(pool, beginQuery);
  const reader = observedReader(
    makePipelinedReader({ databaseUrl, logger, connections: 2, database }),
    beginQuery,
  );
  // Bearer checks of refresh and exchange do not wait behind a long list page.
  const fenceReader = observedReader(makePipelinedReader({ databaseUrl, logger, database }), beginQuery);
  const progress = watchProgress({ databaseUrl, reader, logger, database });
  const logWatch = makeLogWatch({ logger });
  const { aside, settled } = makeBackgroundTasks(logger);
  const connected = connectEventStore({
    url: servers.eventStoreUrl,
    logger,
    resumed: logWatch.resumed,
    unreadable: makeNoteUnreadable({ pool, aside, logger }),
    personal: personal.data,
  });
  const clock = makeSharedClock({ reader, own: () => Date.now(), logger });
  await clock.compare();
  const { now } = clock;
  const outages = makeOutageWatch({ now, table: makeOutageTable({ pool }), logger });
  const store = named(observedStore(outages.watchStore(connected), observed));
  personal.askLog(store);
  const guarded = makeFence({ pool, reader: guardGeneration(fenceReader, database) });
  const fence = observedFence(outages.watchFence(guarded), observed);
  const turns = usualTurns();
  const passwords = await makePasswords(undefined, turns);
  // Few, and their own: a flood of sign-ins keeps no other write waiting.
  const signInPool = makeWritePool({ databaseUrl, logger, connections: 2 });
  observePool(signInPool, beginQuery);
  const queues = {
    pools: { commands: pool, 'sign-in': signInPool },
    readers: { lists: reader.waiting, fence: fenceReader.waiting },
    passwords: turns.waiting,
  };
  const commandNeeds: CommandDependencies = {
    store,
    fence,
    keys,
    now,
    newId: makeNewId(now),
    passwords,
    signInCounters: makeSignInCounters({ pool: signInPool }),
    signInsPerMinute: config.rateLimits.signIn,
    rotationsPerHour: config.rotationsPerHour,
    grantCacheSize: config.grantCacheSize,
    outages,
    aside,
    persons: personal.persons,
    lifetimes: lifetimesOf(config),
    knownRecords: makeKnownRecords(reader),
  };
  const serverProbes = composeServers({ store, databaseUrl, logger });
  const addons = makeAddonDirectory(commandNeeds);
  const commands = makeCommands(commandNeeds, addons);

  const { readsRetentionDays } = config;
  const audit = composeAudit({
    databaseUrl,
    store,
    personal: personal.data,
    now,
    lifetimes: lifetimesOf(config),
    readsRetentionDays,
    logger,
  });
  let storeReads = () => {};
  const reads = makeReadCounter({ now, networkOf: readNetworkOf, filling: () => storeReads() });
  const operations = composeOperator({
    log: store,
    reader,
    pool,
    now,
    countLostKeys: () => personal.keys.countLost(),
  });
  const keyNeeds = { table: makeKeyTable({ pool, reader }), log: makeKeyLog(store), keys, now, logger };
  const keyStore = makeKeyStore(keyNeeds);
  const ring = makeKeyRing({ store: keyStore, keys, now, logger });
  const sign = makeSignJws(() => ring.signer('RS256'));
  const counting = makeCounting(config, databaseUrl, keys, logger);

  const revocationNeeds = {
    store,
    fence,
    now,
    epochGrants: readEpochGrants(reader, { log: store, progress }),
    ownGrants: readOwnGrants(reader, { progress }),
  };
  // By the names of their checkpoints. The first was named after its first reason, which is not its only one.
  const reactions = { 'revoke-on-deactivation': makeRevocations(revocationNeeds) };
  const startWorkers = (baseUrl?: string): Workers => {
    const marks = makeLogMarks({ pool, logger });
    const projector = startProjector({
      databaseUrl,
      log: store,
      projections: readModelProjections,
      skipped: readSkippedEvents(store),
      logger,
      passed: (messages) => marks.passed(messages),
    });
    const logIsThere = logWatch.start({ log: store, reader });
    const revocations = startReaction({
      databaseUrl,
      log: store,
      logger,
      name: 'revoke-on-deactivation',
      eventTypes: revocationCauses,
      handle: reactions['revoke-on-deactivation'],
      skipped: readSkippedEvents(store),
    });
    const history = audit.startHistory();
    // Of a command nobody looks at it.
    const lag = baseUrl === undefined ? null : operations.startSampling();
    const trust = startFenceReadiness({ log: store, head: () => store.head(), progress, database, logger });
    const changes = watchEvents({
      log: store,
      eventTypes: addonChanges,
      heard: ({ stream }) => addons.forget(stream.slice('addon-'.length)),
      logger,
    });
    // A command that works alone is not there for long.
    const intervalMs = config.logHeadInterval * 1000;
    const { kafka: configured } = config;
    const connect = withBrokers && configured && (() => withBrokers.connectTo(configured, logger));
    const deposits = baseUrl === undefined ? null : makeDepositTargets(config.headDeposits, connect);
    const targets = deposits?.targets ?? [];
    const heads =
      baseUrl === undefined
        ? null
        : startLogHeads({ databaseUrl, store, sign, now, logger, intervalMs, targets });
    const streams = baseUrl === undefined ? null : audit.startStreams();
    const keepMs = config.logRetentionDays * 86_400_000;
    const retention =
      baseUrl === undefined ? null : startRetention({ databaseUrl, store, now, logger, keepMs });
    const cleaner =
      baseUrl === undefined ? null : startCleaningTables({ databaseUrl, log: store, now, logger });
    const keepingKeys = baseUrl === undefined ? null : startKeepingKeys(keyStore, logger);
    const erasures = watchEvents({
      log: store,
      eventTypes: ['AccountErased', 'ProfileErased'],
      heard: ({ stream }) => personal.keys.forget(personOfStream(stream)),
      logger,
    });
    const kafka =
      withBrokers && configured && baseUrl !== undefined
        ? withBrokers.startKafka({
            config,
            kafka: configured,
            baseUrl,
            databaseUrl,
            store,
            reader,
            commands,
            logger,
            operations: observed,
          })
        : null;
    const watchingOutages =
      baseUrl === undefined
        ? null
        : outages.start({ store: () => connected.head(), database: () => reader.query(anything, []) });
    const keepingReads =
      baseUrl === undefined
        ? null
        : startKeepingReads({ counter: reads, pool, now, logger, days: readsRetentionDays });
    if (keepingReads) storeReads = keepingReads.soon;
    const trusted = () => trust.trusted() && logIsThere.agrees();
    return {
      trusted,
      trust: () => ({ accepted: trusted(), logAgrees: logIsThere.agrees(), databases: database.current() }),
      logLost: logIsThere.lost,
      ready: trust.ready,
      status: () => ({
        projector: projector.status(),
        revocations: revocations.status(),
        history: history.status(),
        ...(heads && { logHeads: heads.status() }),
        ...(streams && { streams: streams.status() }),
        ...(retention && { retention: retention.status() }),
        ...(cleaner && { tableRetention: cleaner.status() }),
      }),
      kafka: () => kafka?.status() ?? null,
      removedRows: () => cleaner?.removed() ?? null,
      lag: () => lag?.samples() ?? [],
      readsStoredAt: () => keepingReads?.storedAt() ?? null,
      stop: async () =>
        void (await Promise.all([
          kafka?.stop(),
          heads?.stop().then(() => deposits?.close()),
          streams?.stop(),
          retention?.stop(),
          cleaner?.stop(),
          keepingKeys?.stop(),
          lag?.stop(),
          watchingOutages?.stop(),
          keepingReads?.stop(),
          trust.stop(),
          changes.stop(),
          erasures.stop(),
          revocations.stop(),
          history.stop(),
          projector.stop().then(() => marks.stop()),
          logIsThere.stop(),
        ])),
    };
  };

  return {
    commands,
    operations,
    readModels: makeReadModels({ reader, guarded: guardGeneration(reader, database), progress }),
    idTokens: makeIdTokens(ring, now),
    sign,
    logHeads: makeLogHeads({ store, sign, now, reader }),
    signingKeys: makeSigningKeys(keyStore, keys, now),
    endInteraction: makeEndInteraction({ pool }),
    hasEnded: makeHasEnded({ pool }),
    countSilentGrant: makeCountSilentGrant({ pool }),
    reads,
    countBreakGlass: makeCountBreakGlass({ pool }),
    rateLimits: makeRateLimits(config.rateLimits, counting.make, now),
    now,
    telemetry,
    waitMetrics: () => [...observed.metrics(), ...queueMetrics(queues)],
    store,
    audit,
    keys,
    personal,
    reactions,
    noteEventTypes: () => noteEventTypes(pool, eventTypesByCheckpoint(config.kafka !== null)),
    startWorkers,
    lookAtServers: () => serverProbes.look(),
    operatorFacts: readOperatorFacts(reader),
    logMismatch: (patienceMs) => findMismatch({ log: store, reader }, patienceMs),
    async close() {
      clock.stop();
      await progress.close();
      await settled();
      await counting.close();
      await Promise.all([
        reader.close(),
        fenceReader.close(),
        audit.close(),
        pool.end(),
        signInPool.end(),
        serverProbes.close(),
        store.close(),
      ]);
      await personal.close();
    },
  };
};

const anything = { name: 'anything', text: 'select 1' };

/** A count waits half a second for the database, no longer. */
const countingTimeout = 500;

/** Where requests are counted, each instance for itself or all together. */
const makeCounting = (config: Config, databaseUrl: string, keys: TokenKeys, logger: Logger) => {
  if (config.rateLimits.store === 'memory') return { make: memoryCounters(), close: () => Promise.resolve() };
  const reader = makePipelinedReader({ databaseUrl, logger, timeoutMs: countingTimeout });
  const make = databaseCounters({ reader, hide: hiddenUnder(keys), now: () => Date.now(), logger });
  return { make, close: () => reader.close() };
};

const hiddenUnder =
  (keys: TokenKeys) =>
  (key: string): string =>
    macFor(keys, keys.current, 'rate-limit', key)?.toString('base64url') ?? '';

/** Settings are in seconds, everything inside is in milliseconds. */
const lifetimesOf = ({ lifetimes }: Config) => ({
  ...defaultLifetimes,
  code: lifetimes.code * 1000,
  accessToken: lifetimes.accessToken * 1000,
  refreshIdle: lifetimes.refreshIdle * 1000,
  refreshAbsolute: lifetimes.refreshAbsolute * 1000,
  refreshGrace: lifetimes.refreshGrace * 1000,
});

/** What http is given. */
export const httpNeeds = (
  core: Core,
  workers: Workers,
  baseUrl: string,
  config: Config,
  logger: Logger,
  stopping = new AbortController().signal,
  linesLost: () => number = () => 0,
): HttpDependencies => ({
  stopping,
  commands: core.commands,
  readModels: core.readModels,
  audit: {
    ...core.audit,
    timeProblem: (time) => timeProblem({ store: core.store, now: core.audit.now }, time),
    logState: async (at) => ({
      head: await headBefore(core.store, at),
      newest: await core.logHeads.newest(),
      verified: await core.logHeads.checks.read('verified'),
    }),
  },
  operator: { look: () => core.operations.look(workers) },
  idTokens: core.idTokens,
  version: packageVersion,
  commit: builtCommit,
  asyncApi: (about) =>
    asyncApiDocument({
      ...about,
      topics: config.kafka?.topics ?? defaultTopicNames,
      isConfigured: config.kafka !== null,
    }),
  config: {
    baseUrl,
    issuer: config.issuer ?? baseUrl,
    secureCookies: baseUrl.startsWith('https:'),
    trustedProxies: config.trustedProxies,
    requestTimeout: config.http.requestTimeout * 1000,
    maxConnections: connectionLimit(config.http.maxConnections, logger),
  },
  readiness: async () => {
    const [eventStore, database, servers, parked, lostKeys, deposits] = await Promise.all([
      reachable(core.store.head()),
      reachable(core.readModels.checkpoint()),
      core.lookAtServers(),
      withTimeoutOrNull(lookMs, core.operations.countParked()),
      withTimeoutOrNull(lookMs, core.personal.keys.countLost()),
      withTimeoutOrNull(lookMs, core.logHeads.deposits.counts()),
    ]);
    return judgeReadiness({
      eventStore,
      database,
      servers,
      workers: workers.status(),
      kafka: workers.kafka(),
      parkedKeys: (parked ?? []).reduce((sum, count) => sum + count.keys, 0),
      lostKeys: lostKeys ?? 0,
      waitingDeposits: (deposits ?? []).reduce((sum, { waiting }) => sum + waiting, 0),
    });
  },
  metrics: async () => {
    const [head, shown, states, parked, facts, signed, removed, deposits, untrusted, lostKeys] =
      await Promise.all([
        withTimeout(lookMs, core.store.head()).catch(() => undefined),
        withTimeout(lookMs, core.readModels.checkpoint()).catch(() => undefined),
        core.lookAtServers().catch(() => undefined),
        core.operations.countParked().catch(() => undefined),
        core.operatorFacts().catch(() => undefined),
        core.logHeads.newest().catch(() => undefined),
        newestRemoval(core.store).catch(() => undefined),
        core.logHeads.deposits.counts().catch(() => undefined),
        core.signingKeys.untrusted().catch(() => undefined),
        core.personal.keys.countLost().catch(() => undefined),
      ]);
    return [
      ...processMetrics(packageVersion, linesLost()),
      ...core.waitMetrics(),
      ...serverMetrics(head, shown),
      ...serverStateMetrics(states),
      ...trustMetrics(workers.trust()),
      ...sharedMetrics(facts),
      ...logHeadMetrics(signed?.at),
      ...retentionMetrics(removed && removed.removed.total),
      ...headDepositMetrics(deposits),
      ...readCountMetrics(core.reads.unattributed(), workers.readsStoredAt()),
      ...signingKeyMetrics(untrusted?.length),
      ...workerMetrics(workers.status(), Date.now()),
      ...personalKeyMetrics(lostKeys),
      ...parkedMetrics(parked),
      ...removedRowMetrics(workers.removedRows()),
      ...kafkaMetrics(workers.kafka(), Date.now()),
    ];
  },
  trusted: workers.trusted,
  now: core.now,
  logger,
  telemetry: core.telemetry,
  interactionKeys: interactionKeysOf(core.keys),
  endInteraction: core.endInteraction,
  hasEnded: core.hasEnded,
  countSilentGrant: core.countSilentGrant,
  countRead: core.reads.count,
  cursorKeys: subkeysOf(core.keys, 'cursor'),
  rateLimits: core.rateLimits,
});

/** A server that is silent for so long counts as not reached: whoever asks for readiness does not wait longer either. */
const lookMs = 3_000;

const reachable = (call: Promise<unknown>): Promise<'ok' | 'unreachable'> =>
  withTimeout(lookMs, call).then(
    () => 'ok',
    () => 'unreachable',
  );

const interactionKeysOf = (keys: TokenKeys): HttpDependencies['interactionKeys'] => {
  const [current, ...others] = subkeysOf(keys, 'interaction');
  return [current.key, ...others.map(({ key }) => key)];
};

/** That of the current key first. */
const subkeysOf = (keys: TokenKeys, purpose: KeyPurpose) => {
  const ids = [keys.current, ...[...keys.keys.keys()].filter((id) => id !== keys.current)];
  const [current, ...others] = ids.flatMap((id) => {
    const key = subkeyFor(keys, id, purpose)?.export();
    return key ? [{ id, key }] : [];
  });
  if (!current) throw new Error(`the current token key ${keys.current} is not among the keys`);
  return [current, ...others] as const;
};
