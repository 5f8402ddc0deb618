import { hiddenUnder } from '../commands/credentials/token-keys.ts';
import { makeFederation } from '../federation/federation.ts';
import { readNetworkOf } from '../http/requests/client-network.ts';
import { openCounters } from '../http/limits/counters/open-counters.ts';
import { makeRateLimits } from '../http/limits/counters/rate-limits.ts';
import { makeReadCounter } from '../projections/read-counts/count-reads.ts';
import { makeNewId } from '../commands/kernel/new-id.ts';
import { makeRefusalCollector } from '../projections/usage-counts/collect-refusals.ts';
import { makeUsageCounter } from '../projections/usage-counts/count-usage.ts';
import { makeReadUsage } from '../projections/usage-counts/read-usage.ts';
import { readOperatorFacts } from '../projections/operations/operator-facts.ts';
import { makePipelinedReader } from '../projections/database/pipelined-reader.ts';
import { makeCountSilentGrant } from '../projections/working-state/silent-grants.ts';
import { makeEventStoreAccess } from '../observability/readiness/event-store-access.ts';
import { makeServerProbes } from '../observability/readiness/server-probes.ts';
import { makeServiceStatus } from '../observability/readiness/service-status.ts';
import type { Core } from './core.ts';
import { composePolls } from './polls.ts';
import { composeEndpointGuard } from './signal-push.ts';

/** What only a process that answers requests needs: limits, browser interactions, the status of the service. */
export const composeRequests = (core: Core) => {
  const { config, databaseUrl, generation: database, pool, reader, store, keys, now, logger } = core;
  const openReader = (options: { readonly timeoutMs: number }) =>
    makePipelinedReader({ databaseUrl, logger, database, ...options });
  const hide = hiddenUnder(keys, 'rate-limit');
  const counters = openCounters({ store: config.rateLimits.store, openReader, hide, logger });
  const serverProbes = makeServerProbes({ store, databaseUrl, database, logger });
  const guard = composeEndpointGuard(config, config.baseUrl ?? `http://localhost:${config.port}`);
  return {
    rateLimits: makeRateLimits(config.rateLimits, counters.make, now),
    polls: composePolls(core),
    federation: makeFederation({
      ...config.signIn,
      signIns: core.providerSignIns,
      now,
      guard,
      proxies: config.proxies,
    }),
    countSilentGrant: makeCountSilentGrant({ pool }),
    usage: makeUsageCounter({ now }),
    refusals: makeRefusalCollector({ now, newId: makeNewId(now), networkOf: readNetworkOf }),
    readUsage: makeReadUsage(reader, now),
    reads: makeReadCounter({ now, networkOf: readNetworkOf }),
    serverProbes,
    eventStoreAccess: makeEventStoreAccess({ store, url: core.eventStoreUrl, logger }),
    serviceStatus: makeServiceStatus({
      log: store,
      reader,
      pool,
      now,
      countLostKeys: () => core.personal.keys.countLost(),
    }),
    operatorFacts: readOperatorFacts(reader),
    queues: {
      pools: { commands: pool, 'sign-in': core.signInPool },
      readers: { lists: reader.waiting, fence: core.fenceReader.waiting },
      passwords: core.passwordTurns.waiting,
    },
    close: () => core.close(counters.close, serverProbes.close),
  };
};
