import { packageVersion } from '../process/package-root.ts';
import { isDeepStrictEqual } from 'node:util';
import { decryptAuthorization } from '../commands/credentials/signal-authorization.ts';
import type { Config } from '../config/config.ts';
import type { EncryptedHeader, SignalStream } from '../domain/signals/signal-stream.ts';
import { signalStream } from '../domain/streams.ts';
import { makeEndpointGuard, resolveHost } from '../signals/endpoint/endpoint-guard.ts';
import { openGuardedConnections } from '../signals/push/guarded-connections.ts';
import { pushSet, pushTimeoutMs } from '../signals/push/push-set.ts';
import type { DueSet } from '../signals/push/push-table.ts';
import { startPushing } from '../signals/push/push-worker.ts';
import type { SignSet } from '../signals/sign-set.ts';
import { nextTraceparent } from '../observability/tracing/traceparent.ts';
import type { Core } from './core.ts';
import { makeNewId } from '../commands/kernel/new-id.ts';
import { makeManageStreams } from '../signals/manage-streams.ts';
import type { Stores } from './stores.ts';

/** Judges the endpoints that signals are pushed to, and hosts that only a sign-in provider's metadata names. */
export const composeEndpointGuard = (config: Config, baseUrl: string) =>
  makeEndpointGuard({
    isProduction: config.environment === 'production',
    resolve: resolveHost,
    ownUrls: [baseUrl, config.issuer].filter((url): url is string => url !== null),
    ownPorts: [config.port, config.http.managementPort].filter(
      (port): port is number => port !== null && port !== 0,
    ),
  });

/** For a row without a revision: the worker has not come to the stream, or to no event of it since there are revisions. */
const isAsIn = (stream: SignalStream | null, { streamId, endpointUrl, authorization }: DueSet): boolean =>
  stream?.streamId === streamId &&
  stream.status === 'enabled' &&
  stream.endpointUrl === endpointUrl &&
  isDeepStrictEqual(stream.authorization, authorization);

type Parts = Pick<Core, 'commands' | 'config' | 'keys' | 'led' | 'listener' | 'now' | 'store'> & {
  readonly polls: { readonly signSetsAs: (issuer: string) => SignSet };
};

/** Pushes to the receivers of add-ons; one instance at a time does. */
export const startSignalPush = (
  { commands, config, keys, led, listener, now, polls, store }: Parts,
  baseUrl: string,
) => {
  const { proxies } = config;
  const connections = openGuardedConnections({ guard: composeEndpointGuard(config, baseUrl), proxies });
  const worker = startPushing({
    ...led,
    listener,
    now,
    delivery: {
      sign: polls.signSetsAs(config.issuer ?? baseUrl),
      isCurrent: async (set) => {
        if (set.revision === null) return isAsIn(await commands.findSignalStream(set.addonId), set);
        const { events } = await store.readBack(signalStream(set.addonId), 'end', 1);
        return events.at(-1)?.revision === set.revision;
      },
      decrypt: (streamId, stored) => decryptAuthorization(keys, streamId, stored as EncryptedHeader),
      push: (push, stopping) =>
        pushSet(connections, push, stopping, pushTimeoutMs, `Grantbook/${packageVersion}`),
    },
    pause: ({ streamId, revision }, reason) =>
      commands.pauseSignalStream({ streamId, reason, revision }, { traceparent: nextTraceparent() }),
  });
  return { ...worker, stop: () => worker.stop().then(() => connections.destroy()) };
};

/** The management of signal streams, for their add-ons and for operators. */
export const composeSignalStreams = (
  { config, pool, reader, now }: Pick<Stores, 'config' | 'pool' | 'reader' | 'now'>,
  baseUrl: string,
) =>
  makeManageStreams({
    pool,
    reader,
    guard: composeEndpointGuard(config, baseUrl),
    issuer: config.issuer ?? baseUrl,
    newId: makeNewId(now),
    now,
  });
