import { readLogState } from '../audit/log-heads/log-state.ts';
import { newestRemoval } from '../audit/retention/removals.ts';
import { timeProblem } from '../audit/timeline/time-in-log.ts';
import { builtCommit } from '../process/built-commit.ts';
import { importWith } from '../kafka/import/import-with.ts';
import { subkeysFor } from '../commands/credentials/token-keys.ts';
import { connectionLimit } from '../process/open-file-limit.ts';
import type { HttpConfig } from '../http/base/dependencies.ts';
import { asyncApiDocument } from '../kafka/contract/async-api/document.ts';
import { defaultTopicNames } from '../kafka/topics.ts';
import { makeReadMetrics } from '../observability/metrics/service-metrics.ts';
import { packageVersion, readTutorial } from '../process/package-root.ts';
import { DatabaseReadOnly } from '../projections/database/database-generation.ts';
import { newestShown } from '../projections/follow/newest-shown.ts';
import { makeReadReadiness } from '../observability/readiness/read-readiness.ts';
import { composeAudits } from './audits.ts';
import { composeSignalStreams } from './signal-push.ts';
import type { HttpParts } from './server.ts';
import type { ServiceCore } from './service.ts';
import type { Workers } from './workers.ts';

export type Outside = {
  readonly baseUrl: string;
  /** Aborted when the service begins to stop. */
  readonly stopping?: AbortSignal;
  /** Lines of the program's own log that could not be written. */
  readonly linesLost?: () => number;
  /** How long the answer to a change waits until lists show it, in milliseconds. */
  readonly shownMs?: number;
};

/** How long whoever imports waits for the lists at a time, in milliseconds. */
const listsShownMs = 5_000;

/** What the HTTP side needs. `workers` are asked for at a request: they need not run while it is built. */
export const httpParts = (
  service: ServiceCore,
  workers: () => Workers,
  { baseUrl, stopping = new AbortController().signal, linesLost = () => 0, shownMs = 1_000 }: Outside,
): HttpParts => {
  const { config, store, audit, logHeads, keys } = service;
  const signalStreams = composeSignalStreams(service, baseUrl);
  const services: HttpParts['services'] = {
    commands: service.commands,
    store,
    readModels: service.readModels,
    signals: signalStreams,
    readsCountedSince: audit.reads.countedSince,
    deliverLink: service.deliverLink(baseUrl),
    providers: config.signIn.providers,
    // What is not shown in time is shown later: the change itself is in the log.
    settle: async (position) => {
      if (position === undefined) return;
      const upTo = await newestShown(store, service.readModels, shownMs, position).catch(() => null);
      if (upTo) await service.readModels.waitFor(upTo, shownMs).catch(() => false);
    },
  };
  const [interactionKey, ...earlierKeys] = subkeysFor(keys, 'interaction');
  return {
    stopping,
    poll: service.polls.pollAs(config.issuer ?? baseUrl),
    judgedLately: service.polls.lately,
    stopPolls: service.polls.places.stop,
    commands: service.commands,
    readModels: service.readModels,
    ...audit,
    timeProblem: (time) => timeProblem({ store, now: audit.now }, time),
    logState: (at) => readLogState({ log: store, checks: logHeads.checks }, at),
    readsCountedSince: audit.reads.countedSince,
    services,
    audits: composeAudits({
      services,
      audit,
      store,
      logHeads,
      commands: service.commands,
      personal: service.personal.data,
      sign: service.sign,
    }),
    importBatch: (resource, batch, context) => importWith(service.commands, resource, batch, context),
    isShown: (position) => service.readModels.waitFor(position, listsShownMs).catch(() => false),
    serviceStatus: () => service.serviceStatus.read(workers()),
    idTokens: service.idTokens,
    signalStreams,
    federation: service.federation,
    version: packageVersion,
    readTutorial,
    commit: builtCommit,
    asyncApi: (about) =>
      asyncApiDocument({
        ...about,
        topics: config.kafka?.topics ?? defaultTopicNames,
        isConfigured: config.kafka !== null,
      }),
    config: httpConfig(service, baseUrl),
    readiness: readinessOf(service, workers),
    metrics: metricsOf(service, workers, linesLost),
    trusted: () => workers().trusted(),
    now: service.now,
    logger: service.logger,
    telemetry: service.telemetry,
    interactionKeys: [interactionKey.key, ...earlierKeys.map(({ key }) => key)],
    endInteraction: service.endInteraction,
    kept: service.providerSignIns,
    mailLink: service.sendsMails ? services.deliverLink : null,
    hasEnded: service.hasEnded,
    beginOnce: service.beginOnce,
    countSilentGrant: service.countSilentGrant,
    countRead: service.reads.count,
    countUsage: service.usage.count,
    collectRefusal: service.refusals.collect,
    readUsage: service.readUsage,
    cursorKeys: subkeysFor(keys, 'cursor'),
    rateLimits: service.rateLimits,
  };
};

const httpConfig = ({ config, logger }: ServiceCore, baseUrl: string): HttpConfig => ({
  baseUrl,
  issuer: config.issuer ?? baseUrl,
  secureCookies: baseUrl.startsWith('https:'),
  trustedProxies: config.trustedProxies,
  brand: config.brand,
  syncRetentionDays: config.syncRetentionDays,
  publisherChanges: config.publisherChanges,
  accessLasts: {
    unrefreshed: config.lifetimes.accessToken,
    unused: config.lifetimes.refreshIdle,
    most: config.lifetimes.refreshAbsolute,
  },
  requestTimeout: config.http.requestTimeout * 1000,
  keepAliveTimeout: config.http.keepAliveTimeout * 1000,
  maxConnections: connectionLimit(config.http.maxConnections, logger),
});

/** What readiness and metrics both read. */
const askedOf = ({
  store,
  readModels,
  serverProbes,
  serviceStatus,
  personal,
  logHeads,
  mailStatus,
}: ServiceCore) => ({
  mail: mailStatus,
  head: () => store.head(),
  shown: () => readModels.checkpoint(),
  servers: () => serverProbes.read(),
  parked: () => serviceStatus.countParked(),
  lostKeys: () => personal.keys.countLost(),
  deposits: () => logHeads.deposits.counts(),
});

/** A read-only server answers; that it accepts no writes is found by trying one. */
const unlessReadOnly = (error: unknown): void => {
  if (!(error instanceof DatabaseReadOnly)) throw error;
};

const readinessOf = (service: ServiceCore, workers: () => Workers): HttpParts['readiness'] => {
  const { head: _head, shown, ...asked } = askedOf(service);
  return makeReadReadiness({
    ...asked,
    eventStore: () => service.eventStoreAccess.tryIt(),
    explainEventStore: service.eventStoreAccess.explain,
    database: () => shown().catch(unlessReadOnly),
    signInProviders: () => service.federation.status(),
    workers: () => workers().status(),
    kafka: () => workers().kafka(),
  });
};

const metricsOf = (
  service: ServiceCore,
  workers: () => Workers,
  linesLost: () => number,
): HttpParts['metrics'] =>
  makeReadMetrics({
    ...askedOf(service),
    shared: service.operatorFacts,
    signedHead: () => service.logHeads.newest(),
    removal: () => newestRemoval(service.store),
    untrustedKeys: () => service.signingKeys.untrusted(),
    version: packageVersion,
    linesLost,
    waits: () => service.waits.metrics(),
    queues: service.queues,
    trust: () => workers().trust(),
    unattributedReads: service.reads.unattributed,
    droppedRefusals: service.refusals.dropped,
    readsStoredAt: () => workers().readsStoredAt(),
    workers: () => workers().status(),
    removedRows: () => workers().removedRows(),
    signalLags: service.polls.lags,
    failingEndpoints: service.polls.failingEndpoints,
    signals: () => ({
      failures: { poll: service.polls.failures(), push: workers().pushFailures() },
      pollsWaiting: service.polls.places.count(),
    }),
    kafka: () => workers().kafka(),
  });
