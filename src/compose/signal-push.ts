import { decryptAuthorization } from '../commands/signal-authorization.ts';
import type { Config } from '../config.ts';
import type { EncryptedHeader } from '../domain/signal-stream.ts';
import { makeEndpointGuard } from '../signals/endpoint/endpoint-guard.ts';
import { resolveHost } from '../signals/endpoint/resolve-host.ts';
import { openGuardedConnections } from '../signals/push/guarded-connections.ts';
import { pushSet } from '../signals/push/push-set.ts';
import { startPushing } from '../signals/push/push-worker.ts';
import { makeSignSet } from '../signals/sign-set.ts';
import type { Core } from './core.ts';

/**
 * Judges the endpoints that signals are pushed to.
 * @param baseUrl the address at which this process listens
 */
export const composeEndpointGuard = (config: Config, baseUrl: string) =>
  makeEndpointGuard({
    isProduction: config.environment === 'production',
    resolve: resolveHost,
    ownUrls: [baseUrl, config.baseUrl, config.issuer].filter((url): url is string => url !== null),
    ownPorts: [config.port, config.http.managementPort].filter(
      (port): port is number => port !== null && port !== 0,
    ),
  });

type Parts = Pick<
  Core,
  'addons' | 'commands' | 'config' | 'databaseUrl' | 'keys' | 'logger' | 'now' | 'ring'
>;

/** Pushes to the receivers of add-ons; one instance at a time does. */
export const startSignalPush = (
  { addons, commands, config, databaseUrl, keys, logger, now, ring }: Parts,
  baseUrl: string,
) => {
  const connections = openGuardedConnections({ guard: composeEndpointGuard(config, baseUrl) });
  const issuer = config.issuer ?? config.baseUrl ?? baseUrl;
  const algOf = async (addonId: string) => (await addons.find(addonId))?.idTokenAlg ?? 'RS256';
  const worker = startPushing({
    databaseUrl,
    logger,
    now,
    sign: makeSignSet({ ring, issuer, algOf }),
    decrypt: (streamId, stored) => decryptAuthorization(keys, streamId, stored as EncryptedHeader),
    push: (push, stopping) => pushSet(connections, push, stopping),
    pause: ({ streamId }, reason) =>
      commands.setSignalStreamStatus({
        streamId,
        caller: 'service',
        status: 'paused',
        reason,
        by: 'transmitter',
        onlyFrom: 'enabled',
      }),
  });
  return { ...worker, stop: () => worker.stop().then(() => connections.destroy()) };
};
