import { isIP } from 'node:net';
import { callbackify } from 'node:util';
import { openConnections } from '../../common/outgoing/outgoing.ts';
import { noProxies, type Proxies } from '../../common/outgoing/proxies.ts';
import { buildConnector, type Dispatcher } from '../../common/outgoing/undici.ts';
import { hostOf, portOf, type EndpointGuard } from '../endpoint/endpoint-guard.ts';

/** In milliseconds and bytes. */
const connectMs = 10_000;
/** Then the next address of a host is tried. Node's 250 ms are less than one lost packet, and than some distances. */
const connectOneMs = 2_500;
const idleMs = 15_000;
const largestHeaders = 16_384;

export type GuardedConnectionsDependencies = {
  readonly guard: EndpointGuard;
  /** Certificate authorities in PEM, instead of the system's. */
  readonly ca?: string;
  readonly proxies?: Proxies;
};

/** Kept alive. The socket's look-up is the guard's, so it, or a proxy, connects to the address that was judged. */
export const openGuardedConnections = ({
  guard,
  ca,
  proxies = noProxies,
}: GuardedConnectionsDependencies): Dispatcher =>
  openConnections({
    proxies,
    options: { maxHeaderSize: largestHeaders, keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs },
    connectorOf: (origin) => guardedConnector(guard, origin, ca),
    addressesOf: async (origin) =>
      (await guard.addressesOf(hostOf(origin), portOf(origin))).map(({ address }) => address),
  });

const guardedConnector = (guard: EndpointGuard, origin: URL, ca?: string): buildConnector.connector => {
  const port = portOf(origin);
  const addressesOf = callbackify((host: string) => guard.addressesOf(host, port));
  const connect = buildConnector({
    timeout: connectMs,
    autoSelectFamilyAttemptTimeout: connectOneMs,
    lookup: (host, { all }, callback) =>
      addressesOf(host, (error, addresses) => {
        if (error) return callback(error, '');
        if (all) return callback(null, addresses);
        callback(null, addresses[0]?.address ?? '', addresses[0]?.family ?? 0);
      }),
    ...(ca !== undefined && { ca }),
  });
  return (options, callback) => {
    // A socket does not look up a literal address, so it is judged before.
    if (isIP(options.hostname) === 0) return connect(options, callback);
    addressesOf(options.hostname, (error) => {
      if (error) callback(error, null);
      else connect(options, callback);
    });
  };
};
