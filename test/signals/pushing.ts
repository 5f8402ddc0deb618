import { onTestFinished } from 'vitest';
import { packageVersion } from '../../src/process/package-root.ts';
import { makeEndpointGuard, type EndpointGuard } from '../../src/signals/endpoint/endpoint-guard.ts';
import { openGuardedConnections } from '../../src/signals/push/guarded-connections.ts';
import { pushSet, type Push } from '../../src/signals/push/push-set.ts';

export const set = 'eyJ0eXAiOiJzZWNldmVudCtqd3QifQ.e30.c2ln';
const developmentGuard = makeEndpointGuard({
  isProduction: false,
  resolve: (host) => Promise.resolve([host === 'localhost' ? '127.0.0.1' : host]),
  ownUrls: ['http://localhost:1'],
  ownPorts: [],
});

/** Every name is this machine. */
export const trusting = (lookedUp = () => {}): EndpointGuard => ({
  problem: () => Promise.resolve(null),
  addressesOf: () => {
    lookedUp();
    return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  },
});

type Options = { readonly guard?: EndpointGuard; readonly ca?: string };

/** Pushes with connections of the test's own, over which it decides where they may lead. */
export const makePush = ({ guard = developmentGuard, ca }: Options = {}) => {
  const connections = openGuardedConnections({ guard, ...(ca !== undefined && { ca }) });
  onTestFinished(() => connections.destroy());
  const stopping = new AbortController();
  const push = (endpointUrl: string, more: Partial<Push> = {}, timeoutMs?: number) =>
    pushSet(
      connections,
      { endpointUrl, authorization: null, set, ...more },
      stopping.signal,
      timeoutMs,
      `Grantbook/${packageVersion}`,
    );
  return { push, stop: () => stopping.abort() };
};
