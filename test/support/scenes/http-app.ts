import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Commands } from '../../../src/commands/commands.ts';
import { makeTimeline } from '../../../src/audit/timeline/make-timeline.ts';
import { makeBeginOnce } from '../../../src/commands/kernel/begin-once.ts';
import { makeBackgroundTasks } from '../../../src/commands/kernel/background-tasks.ts';
import { makeAddonDirectory } from '../../../src/commands/addons/find-addon.ts';
import { makeCommands, type WriteSide } from '../../../src/commands/make-commands.ts';
import { composePolls } from '../../../src/compose/polls.ts';
import { makeNewId } from '../../../src/commands/kernel/new-id.ts';
import {
  type CommandDependencies,
  defaultLifetimes,
  type Lifetimes,
} from '../../../src/commands/kernel/dependencies.ts';
import { makePasswords, type Passwords } from '../../../src/commands/people/credentials/passwords.ts';
import type { Instant } from '../../../src/domain/kernel/decision.ts';
import type { EventStore, LogReader, LogSubscriptions } from '../../../src/eventstore/event-store.ts';
import { cookieName } from '../../../src/http/session/cookies.ts';
import { readNetworkOf } from '../../../src/http/requests/client-network.ts';
import type { HttpConfig, HttpLogger } from '../../../src/http/base/dependencies.ts';
import type { Config } from '../../../src/config/config.ts';
import { makeFederation } from '../../../src/federation/federation.ts';
import { makeProviderSignIns } from '../../../src/federation/provider-sign-ins.ts';
import type { CursorKey } from '../../../src/http/lists/cursor.ts';
import { composeServer, type HttpParts } from '../../../src/compose/server.ts';
import { readTutorial } from '../../../src/process/package-root.ts';
import { asyncApiDocument } from '../../../src/kafka/contract/async-api/document.ts';
import { defaultTopicNames } from '../../../src/kafka/topics.ts';
import { memoryCounters } from '../../../src/http/limits/counters/memory-counters.ts';
import { makeRateLimits, type Quotas } from '../../../src/http/limits/counters/rate-limits.ts';
import { importWith } from '../../../src/kafka/import/import-with.ts';
import { readGrantsOfAddon } from '../../../src/projections/access/grants-of-addon.ts';
import { historyGroup, historyProjections } from '../../../src/projections/history/history.ts';
import { readCounts, readLatestGrants } from '../../../src/projections/operations/counts.ts';
import { readNames } from '../../../src/projections/kernel/names.ts';
import { makeExposure } from '../../../src/audit/exposure/exposure-with-reads.ts';
import { makePrepared } from '../../../src/audit/prepared.ts';
import { headBefore } from '../../../src/audit/log-heads/log-state.ts';
import { timeProblem } from '../../../src/audit/timeline/time-in-log.ts';
import { newestHead } from '../../../src/audit/log-heads/read-heads.ts';
import { makeCheckTable } from '../../../src/projections/log-guard/log-checks-table.ts';
import { readUnusedGrants } from '../../../src/projections/access/unused-grants.ts';
import { makeReadCounter } from '../../../src/projections/read-counts/count-reads.ts';
import { startKeepingReads } from '../../../src/projections/read-counts/keep-reads.ts';
import { makeUsageCounter } from '../../../src/projections/usage-counts/count-usage.ts';
import { makeRefusalCollector } from '../../../src/projections/usage-counts/collect-refusals.ts';
import { startKeepingRefusals } from '../../../src/projections/usage-counts/keep-refusals.ts';
import { startKeepingUsage } from '../../../src/projections/usage-counts/keep-usage.ts';
import { makeReadUsage } from '../../../src/projections/usage-counts/read-usage.ts';
import { makeListReads } from '../../../src/projections/read-counts/read-reads.ts';
import { readNamesOfOrganizations } from '../../../src/projections/organizations/list-organizations.ts';
import { makeHistoryReader } from '../../../src/projections/history/read-history.ts';
import { makeStreamsByOwner } from '../../../src/projections/kernel/streams-by-owner.ts';
import { readDatabaseStatus } from '../../../src/projections/operations/database-status.ts';
import { thisInstance } from '../../../src/projections/leadership/this-instance.ts';
import { mailReader } from '../../../src/compose/write-side.ts';
import { makeDeliverLink } from '../../../src/mail/deliver-link.ts';
import { newestShown } from '../../../src/projections/follow/newest-shown.ts';
import type { ProjectorDependencies } from '../../../src/projections/follow/projector.ts';
import type { PipelinedReader } from '../../../src/projections/database/pipelined-reader.ts';
import type { ReadModels } from '../../../src/projections/read-models.ts';
import { makePasskeyUses } from '../../../src/projections/working-state/passkey-uses.ts';
import { makeSessionUses } from '../../../src/projections/working-state/session-uses.ts';
import { makeSignInCounters } from '../../../src/projections/working-state/sign-in-counters.ts';
import { makeCountSilentGrant } from '../../../src/projections/working-state/silent-grants.ts';
import { makeIdTokens } from '../../../src/signing/id-tokens.ts';
import { makeDoneOnce } from '../../../src/projections/working-state/done-once.ts';
import { makePreparedAnswers } from '../../../src/projections/working-state/prepared-answers.ts';
import { makeKeyLog } from '../../../src/signing/key-log.ts';
import { makeKeyRing } from '../../../src/signing/key-ring.ts';
import { makeKeyStore } from '../../../src/signing/key-store.ts';
import { makeKeyTable } from '../../../src/signing/key-table.ts';
import { subkeyFor, type TokenKeys } from '../../../src/commands/credentials/token-keys.ts';
import { decodeStored } from '../../audit/decode-stored.ts';
import type { TestDatabase } from '../servers/databases.ts';
import { patience } from '../patience.ts';
import { compareEveryAnswer } from '../documents/described.ts';
import { makeEndpointGuard, resolveHost } from '../../../src/signals/endpoint/endpoint-guard.ts';
import { makeManageStreams } from '../../../src/signals/manage-streams.ts';
import { readTold } from '../../../src/signals/read-sets-of-events.ts';
import { memoryPersons } from '../memory/memory-persons.ts';
import { memoryStore } from '../memory/memory-store.ts';
import { testEventStore } from '../servers/test-event-store.ts';
import { quietLogger } from '../quiet-logger.ts';
import { watchLines } from '../trouble/watched-lines.ts';
import { valueOf } from '../outcomes.ts';
import { signInsByCommand } from './pages.ts';
import { testReadModels, type TestReadModels } from '../log/read-models.ts';
import { projectAll, startTestProjector } from '../log/test-projector.ts';

export type LogLine = { readonly level: string; readonly fields: object; readonly message: string };

export type HttpApp = {
  readonly app: FastifyInstance;
  /** Every operation and status so far, as `GET /profiles 200`; each answer matched the OpenAPI document. */
  readonly answered: ReadonlySet<string>;
  readonly baseUrl: string;
  readonly commands: Commands;
  readonly readModels: ReadModels;
  readonly store: EventStore & LogSubscriptions & LogReader;
  /** All log lines, of every level. */
  readonly lines: readonly LogLine[];
  /**
   * Another server on the same log, database and keys, like a second instance or after a restart; its clock is `skew`
   * milliseconds ahead.
   */
  another(change?: (dependencies: HttpParts) => HttpParts, skew?: number | (() => Instant)): FastifyInstance;
  /** Advances the clock of commands and server. */
  advance(milliseconds: number): void;
  /** Sets whether the server may trust its fence; initially true. */
  setTrusted(trusted: boolean): void;
  /** Waits until the read models have caught up with the log. */
  settle(): Promise<void>;
  /** Indexes all events of the log for timelines: no worker does it here. */
  tellHistory(): Promise<void>;
  close(): Promise<void>;
};

/** With the parts behind the server, for tests that use them directly. */
export type OwnHttpApp = HttpApp & {
  readonly pool: TestReadModels['pool'];
  readonly listener: TestReadModels['listener'];
  readonly database: TestDatabase;
  readonly keys: TokenKeys;
  /** Polls of add-ons. Nothing wakes them here: `startWakingPolls` does. */
  readonly polls: ReturnType<typeof composePolls>;
  /** Every table of the read models. */
  readonly dump: TestReadModels['dump'];
  /** Stores the counted reads. */
  storeReads(): Promise<void>;
  /** Stores what add-ons did, as it was counted, and why they were refused. */
  storeUsage(): Promise<void>;
};

type Options = {
  readonly store?: EventStore & LogSubscriptions & LogReader;
  readonly config?: Partial<HttpConfig>;
  readonly lifetimes?: Partial<Lifetimes>;
  /** The test aborts it when the service begins to stop. */
  readonly stopping?: AbortSignal;
  /** The clock does not move, except by `advance`. */
  readonly startAt?: Instant;
  readonly passwords?: Passwords;
  /** Sign-in providers; none by default. */
  readonly signIn?: Partial<Config['signIn']>;
  /** Unlimited by default. */
  readonly signInsPerMinute?: number;
  readonly rotationsPerHour?: number;
  /** By default, answers to a sign-in are not delayed. */
  readonly signInBeat?: number;
  /** None by default. */
  readonly quotas?: Partial<Quotas>;
  /** How the log is projected; null: the test does it. */
  readonly projector?: Partial<ProjectorDependencies> | null;
  /** How long pages wait for answers, and how many are prepared at once. */
  readonly prepared?: Partial<Parameters<typeof makePrepared>[0]>;
  /** Keys of another app, so that its tokens are valid here. */
  readonly keys?: TokenKeys;
  /** Lets the test wrap the server's dependencies. */
  readonly around?: (dependencies: HttpParts) => HttpParts;
  /** Lets the test wrap the read models' reader. */
  readonly aroundReader?: (reader: PipelinedReader) => PipelinedReader;
};

export const noQuotas: Quotas = {
  activation: 0,
  addon: 0,
  token: 0,
  authorize: 0,
  revoke: 0,
  introspect: 0,
  signInSteps: 0,
  signIn: 0,
};

/** In days. */
const readsKept = 400;

/** The whole service with its HTTP side: real commands, projector, read models and fence on a database of its own. */
export const startHttpApp = async (options: Options = {}): Promise<OwnHttpApp> => {
  const store = options.store ?? memoryStore();
  let ahead = 0;
  const now = () => (options.startAt ?? Date.now()) + ahead;
  const reading = await testReadModels(options.aroundReader, now);
  const projector =
    options.projector !== null &&
    startTestProjector({ databaseUrl: reading.database.url, log: store, ...options.projector });
  let trusted = true;
  const lines: LogLine[] = [];
  const keys = options.keys ?? { current: 'k1', keys: new Map([['k1', randomBytes(32)]]) };
  const background = makeBackgroundTasks(quietLogger());
  const { inBackground } = background;
  const lifetimes = { ...defaultLifetimes, ...options.lifetimes };
  const common: CommandDependencies = {
    store,
    fence: reading.fence,
    keys,
    now,
    newId: makeNewId(now),
    lifetimes,
  };
  const doneOnce = makeDoneOnce({ pool: reading.pool });
  const signIns = makeProviderSignIns({ pool: reading.pool, keys: [randomBytes(32)], now });
  const writeSide: WriteSide = {
    common,
    access: {
      rotationsPerHour: options.rotationsPerHour ?? 0,
      addonGrants: readGrantsOfAddon(reading.reader, { log: store, progress: reading.progress }),
    },
    accounts: {
      persons: memoryPersons(),
      namesOfOrganizations: readNamesOfOrganizations(reading.pool),
    },
    credentials: {
      passwords: options.passwords ?? (await makePasswords({ memoryCost: 8, timeCost: 1, parallelism: 1 })),
      localSignIn: options.signIn?.local ?? true,
      passkeyUses: makePasskeyUses({ pool: reading.pool }),
      inBackground,
    },
    signIn: {
      signInCounters: makeSignInCounters(reading),
      signInsPerMinute: options.signInsPerMinute ?? 0,
      sessionUses: makeSessionUses({ pool: reading.pool, inBackground }),
      providerSessions: signIns,
    },
    records: {},
  };
  const commands = makeCommands(writeSide);
  const baseUrl = options.config?.baseUrl ?? 'http://127.0.0.1:8080';
  const reads = makeReadCounter({ now, networkOf: readNetworkOf });
  const usage = makeUsageCounter({ now });
  const refusals = makeRefusalCollector({ now, newId: makeNewId(now), networkOf: readNetworkOf });
  const listReads = makeListReads(reading.reader, { now, days: readsKept });
  const names = readNames(reading.reader);
  const lookup = {
    log: store,
    history: makeHistoryReader(reading.reader),
    streams: makeStreamsByOwner(reading.reader),
  };
  const keyNeeds = {
    table: makeKeyTable(reading),
    log: makeKeyLog(store),
    keys,
    now,
    logger: quietLogger(),
  };
  const ring = makeKeyRing({ ...keyNeeds, store: makeKeyStore(keyNeeds) });
  const polls = composePolls({ ...reading, ring, addons: makeAddonDirectory(common), now });
  const guard = makeEndpointGuard({
    isProduction: false,
    resolve: resolveHost,
    ownUrls: [baseUrl],
    ownPorts: [],
  });
  const signalStreams = makeManageStreams({
    ...reading,
    guard,
    issuer: options.config?.issuer ?? baseUrl,
    newId: makeNewId(now),
    now,
  });
  const dependencies: HttpParts = {
    commands,
    readModels: reading.readModels,
    signalStreams,
    readsCountedSince: listReads.countedSince,
    // test/cli/remote asks a whole service
    audits: { ask: unasked, export: () => Promise.resolve(oneLine()) },
    importBatch: (resource, batch, context) => importWith(commands, resource, batch, context),
    isShown: (position) => reading.readModels.waitFor(position, patience).catch(() => false),
    services: {
      commands,
      store,
      readModels: reading.readModels,
      signals: signalStreams,
      readsCountedSince: listReads.countedSince,
      deliverLink: makeDeliverLink(null, baseUrl, mailReader),
      providers: [{ id: 'keycloak', issuer: 'https://id.example/realms/platform' }],
      settle: async (position) => {
        const ms = projector ? patience : 1_000;
        const upTo =
          position && (await newestShown(store, reading.readModels, ms, position).catch(() => null));
        return upTo && reading.readModels.waitFor(upTo, ms);
      },
    },
    serviceStatus: async () => ({
      at: now(),
      instance: thisInstance,
      database: await readDatabaseStatus(reading.pool).catch(() => null),
      lostKeys: 0,
      lag: [],
      workers: [],
    }),
    timeline: makeTimeline({
      ...lookup,
      decode: decodeStored,
      names,
      told: readTold(reading.reader),
      now,
    }),
    names,
    counts: readCounts(reading.reader, now),
    latestGrants: readLatestGrants(reading.reader),
    reads: listReads,
    exposure: makeExposure({ lookup, decode: decodeStored, reads: listReads }),
    prepared: makePrepared({
      table: makePreparedAnswers(reading),
      keys,
      now,
      version: '1',
      ...options.prepared,
    }),
    unusedGrants: readUnusedGrants(reading.reader, {
      now,
      countedSince: listReads.countedSince,
    }),
    timeProblem: (time) => timeProblem({ store, now }, time),
    logState: async (at) => ({
      head: await headBefore(store, at),
      newest: await newestHead(store),
      verified: await makeCheckTable(reading.reader).read('verified'),
    }),
    federation: makeFederation({ local: true, providers: [], ...options.signIn, signIns, now, guard }),
    idTokens: makeIdTokens(ring, now),
    poll: polls.pollAs(options.config?.issuer ?? baseUrl),
    judgedLately: polls.lately,
    stopPolls: polls.places.stop,
    config: { baseUrl, issuer: baseUrl, secureCookies: false, syncRetentionDays: 30, ...options.config },
    version: '0.0.0-test',
    commit: '0123456789abcdef',
    readTutorial,
    asyncApi: (about) => asyncApiDocument({ ...about, topics: defaultTopicNames }),
    readiness: () => Promise.resolve({ ready: true, checks: { projections: 'ok' } }),
    metrics: () => Promise.resolve([]),
    trusted: () => trusted,
    stopping: options.stopping ?? new AbortController().signal,
    now,
    logger: loggerInto(lines),
    interactionKeys: [randomBytes(32)],
    cursorKeys: cursorKeysOf(keys),
    endInteraction: doneOnce.end,
    kept: signIns,
    mailLink: () => Promise.resolve({ link: '', mailed: true, problem: null }),
    hasEnded: doneOnce.hasEnded,
    beginOnce: makeBeginOnce({ table: doneOnce, keys, now }),
    signInBeat: options.signInBeat ?? 0,
    countSilentGrant: makeCountSilentGrant(reading),
    countRead: reads.count,
    countUsage: usage.count,
    collectRefusal: refusals.collect,
    readUsage: makeReadUsage(reading.reader, now),
    rateLimits: makeRateLimits(
      { ...noQuotas, ...options.quotas },
      memoryCounters(),
      () => Date.now(), // the library's clock, which a test may set
    ),
  };
  const given = options.around?.(dependencies) ?? dependencies;
  const whole = composeServer(given);
  const answered = compareEveryAnswer(whole, given.config);
  const { app, forget } = untilForgotten(whole);
  signInsByCommand.set(app, makeSignInByCommand(commands, given.config));
  const others: ReturnType<typeof untilForgotten>[] = [];
  return {
    app,
    answered,
    baseUrl,
    commands,
    readModels: reading.readModels,
    store,
    database: reading.database,
    listener: reading.listener,
    keys,
    polls,
    pool: reading.pool,
    dump: () => reading.dump(),
    lines,
    another: (change = (parts) => parts, skew = 0) => {
      const theirNow = typeof skew === 'number' ? () => now() + skew : skew;
      const own = makeCommands({ ...writeSide, common: { ...common, now: theirNow } });
      const services = { ...dependencies.services, commands: own };
      const other = untilForgotten(
        composeServer(change({ ...dependencies, now: theirNow, commands: own, services })),
      );
      others.push(other);
      return other.app;
    },
    advance: (milliseconds) => void (ahead += milliseconds),
    setTrusted: (value) => void (trusted = value),
    settle: async () => {
      await background.settled();
      const last = await newestShown(store, reading.readModels, patience);
      if (last && !(await reading.readModels.waitFor(last, patience)))
        throw new Error('the read models did not catch up');
    },
    storeReads: () =>
      startKeepingReads({
        counter: reads,
        pool: reading.pool,
        now,
        logger: quietLogger(),
        days: readsKept,
      }).stop(),
    storeUsage: async () => {
      const needs = { pool: reading.pool, now, logger: quietLogger() };
      await startKeepingUsage({ counter: usage, ...needs }).stop();
      await startKeepingRefusals({ counter: refusals, ...needs }).stop();
    },
    tellHistory: () =>
      projectAll(reading.database.url, store, { name: historyGroup, projections: historyProjections }),
    close: async () => {
      await app.close();
      for (const other of others) await other.app.close();
      await background.settled();
      if (projector) await projector.stop();
      await store.close();
      await reading.close();
      forget();
      others.forEach((other) => other.forget());
    },
  };
};

/** Modules of tests stay loaded. If they kept all that their apps had, each file would make collecting garbage slower. */
export const untilForgotten = (
  whole: FastifyInstance,
): { readonly app: FastifyInstance; readonly forget: () => void } => {
  const { proxy, revoke } = Proxy.revocable(whole, {});
  return { app: proxy, forget: revoke };
};

/** What a browser has after a sign-in, without its page. */
export const makeSignInByCommand =
  (commands: Pick<Commands, 'signIn'>, config: HttpConfig) => async (email: string, password: string) => {
    const network = '127.0.0.1';
    const from = { network, device: null, shown: { network, device: null } };
    const { cookie, device } = valueOf(await commands.signIn({ email, password, from }));
    return { [cookieName(config, 'session')]: cookie, [cookieName(config, 'device')]: device.cookie };
  };

/** Derived as in `src/compose`. */
export const cursorKeysOf = (keys: TokenKeys): readonly [CursorKey, ...CursorKey[]] => {
  const key = subkeyFor(keys, keys.current, 'cursor')?.export();
  if (!key) throw new Error('the current key is not among the keys');
  return [{ id: keys.current, key }];
};

/** The real event store: an embedded node and the real client. */
export const realStore = (): Promise<EventStore & LogSubscriptions & LogReader> => testEventStore();

export const loggerInto = (lines: LogLine[]): HttpLogger => {
  const noteLine = watchLines();
  const at = (level: string) => (fields: object, message: string) => {
    noteLine(level, fields, message);
    lines.push({ level, fields, message });
  };
  return {
    isLevelEnabled: () => true,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
};

/** For tests that need more codes per minute under a remembered approval than a session gets (GR-06). */
export const withoutGrantLimit = (dependencies: HttpParts): HttpParts => ({
  ...dependencies,
  countSilentGrant: () => Promise.resolve(null),
});

const unasked = () => Promise.reject(new Error('nobody answers audit questions here'));

/** In place of an export. */
async function* oneLine(): AsyncGenerator<string> {
  yield await Promise.resolve('{}\n');
}
