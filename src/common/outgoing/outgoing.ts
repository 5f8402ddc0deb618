import { isIPv6, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import { ProxyFailed, type Proxies } from './proxies.ts';
import { buildConnector, type Dispatcher, EnvHttpProxyAgent, fetch, Pool } from './undici.ts';

type Connector = buildConnector.connector;

/** In milliseconds: until a proxy has connected. */
const connectMs = 10_000;

type Dependencies = {
  readonly proxies: Proxies;
  /** Connects to an origin, or sets up TLS on the connection that a proxy has made to it; absent: with Node's authorities. */
  readonly connectorOf?: (origin: URL) => Connector;
  /** The addresses that a proxy may connect to; absent: it looks up the name itself. */
  readonly addressesOf?: (origin: URL) => Promise<readonly string[]>;
  readonly options?: Pick<Pool.Options, 'maxHeaderSize' | 'keepAliveTimeout' | 'keepAliveMaxTimeout'>;
};

/** Connections to other hosts, through the proxy that is set for each. */
export const openConnections = ({
  proxies,
  connectorOf = () => buildConnector({}),
  addressesOf,
  options = {},
}: Dependencies): Dispatcher => {
  // Many proxies allow a tunnel for https alone.
  const isHttpAsked = addressesOf === undefined && proxies.httpProxy.startsWith('http:');
  const poolOf = (origin: URL, { connect, ...given }: Pool.Options): Pool => {
    const own = { ...options, ...given };
    if (typeof connect !== 'function') return new Pool(origin, { ...own, connect: connectorOf(origin) });
    const isSecure = origin.protocol === 'https:';
    const proxy = naming((isSecure && proxies.httpsProxy) || proxies.httpProxy, connect as Connector);
    if (isHttpAsked && !isSecure) return new Pool(origin, { ...own, connect: proxy });
    const hosts = () => addressesOf?.(origin) ?? Promise.resolve([origin.hostname]);
    return new Pool(origin, { ...own, connect: tunnelling(proxy, connectorOf(origin), hosts) });
  };
  return new EnvHttpProxyAgent({
    ...options,
    ...proxies,
    proxyTunnel: !isHttpAsked,
    clientFactory: (proxy, given) => new Pool(proxy, { ...given, headersTimeout: connectMs }),
    factory: (origin, given) => poolOf(new URL(origin), given as Pool.Options),
  });
};

const naming =
  (proxy: string, connect: Connector): Connector =>
  (options, callback) =>
    connect(options, (error, socket) =>
      error ? callback(new ProxyFailed(proxy, error), null) : callback(null, socket),
    );

const promised = (connect: Connector) => (options: buildConnector.Options) =>
  new Promise<Socket>((resolve, reject) =>
    connect(options, (error, socket) => (error ? reject(error) : resolve(socket))),
  );

/** Tries each host, as a connection without a proxy does. */
const tunnelling = (
  proxy: Connector,
  connect: Connector,
  hosts: () => Promise<readonly string[]>,
): Connector => {
  const [tunnelTo, secure] = [promised(proxy), promised(connect)];
  return (options, callback) => {
    const isSecure = options.protocol === 'https:';
    const port = options.port || (isSecure ? '443' : '80');
    const connecting = async () => {
      let failure: unknown;
      for (const hostname of await hosts()) {
        const host = `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`;
        try {
          // As if for http: what it connects is not TLS yet.
          const httpSocket = await tunnelTo({ ...options, protocol: 'http:', hostname, host, port });
          return isSecure ? await secure({ ...options, httpSocket }) : httpSocket;
        } catch (error) {
          failure = error;
        }
      }
      throw failure;
    };
    callbackify(connecting)((error, socket) => (error ? callback(error, null) : callback(null, socket)));
  };
};

/** The failure of a proxy that a request has failed by. */
export const proxyFailureIn = (error: unknown, { httpProxy }: Proxies): ProxyFailed | null => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ProxyFailed) return cause;
    if (cause.message === 'Proxy Authentication Required (407)') return new ProxyFailed(httpProxy, cause);
  }
  return null;
};

/** `fetch` through the proxies that are set. @throws ProxyFailed */
export const makeFetch =
  (proxies: Proxies, connections: Dispatcher = openConnections({ proxies })) =>
  (url: string, options: Omit<NonNullable<Parameters<typeof fetch>[1]>, 'dispatcher'>) =>
    fetch(url, { ...options, dispatcher: connections }).catch((error: unknown) => {
      throw proxyFailureIn(error, proxies) ?? error;
    });
