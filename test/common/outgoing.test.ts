import { createServer as createTlsServer } from 'node:https';
import type { LookupFunction } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { toAuthority } from '../../src/audit/deposits/deposit-targets.ts';
import { makeFetch, openConnections } from '../../src/common/outgoing/outgoing.ts';
import { type Proxies, ProxyFailed, readProxies } from '../../src/common/outgoing/proxies.ts';
import { buildConnector } from '../../src/common/outgoing/undici.ts';
import { findService } from '../../src/cli/doctor/running.ts';
import { readConfig } from '../../src/config/config.ts';
import { makeServerCertificates } from '../../src/embedded/certificates.ts';
import { makeLimitedFetch } from '../../src/federation/limited-fetch.ts';
import { makeEndpointGuard } from '../../src/signals/endpoint/endpoint-guard.ts';
import { openGuardedConnections } from '../../src/signals/push/guarded-connections.ts';
import { pushSet } from '../../src/signals/push/push-set.ts';
import { runOverApi } from '../cli/remote/run-remote.ts';
import { startForwardProxy } from './forward-proxy.ts';
import { freePort } from '../support/servers/free-port.ts';
import { listening, serve } from '../support/servers/serve.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Variables = Readonly<Record<string, string>>;
const proxiesOf = (env: Variables): Proxies => readProxies(env).proxies;
const { signal } = new AbortController();

/** Without a proxy, every name is this machine. */
const fetchWith = (env: Variables, ca?: string) => {
  const lookup: LookupFunction = (_host, _options, callback) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }]);
  const connectorOf = () => buildConnector({ lookup, ...(ca !== undefined && { ca }) });
  const proxies = proxiesOf(env);
  const connections = openConnections({ proxies, connectorOf });
  onTestFinished(() => connections.destroy());
  return makeFetch(proxies, connections);
};

const plainServer = () => serve((_request, answer) => answer.writeHead(202).end('here'));
const tlsServer = async () => {
  const { authority: ca, certificate: cert, key } = await makeServerCertificates();
  const server = createTlsServer({ cert, key }, (_request, answer) => answer.writeHead(202).end('here'));
  const port = await listening(server);
  onTestFinished(() => server.closeAllConnections());
  return { ca, port, origin: `https://localhost:${port}` };
};

describe('FX-73: a request goes through the proxy that is set', () => {
  test.each(['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY'])('for https by %s: in a tunnel', async (name) => {
    const { ca, port, origin } = await tlsServer();
    const proxy = await startForwardProxy(origin);
    const fetch = fetchWith({ [name]: proxy.url }, ca);
    expect(await (await fetch(`${origin}/x`, {})).text()).toBe('here');
    expect(proxy.asked).toEqual([`CONNECT localhost:${port}`]);
  });

  test.each(['HTTP_PROXY', 'http_proxy'])('for http by %s: without one', async (name) => {
    const proxy = await startForwardProxy(await plainServer(), {
      credentials: 'ada:p@ss',
    });
    const url = `ada:p%40ss@127.0.0.1:${proxy.port}`; // and without http://
    const answer = await fetchWith({ [name]: url, HTTPS_PROXY: 'http://127.0.0.1:1' })(
      'http://tsa.test/x?y',
      {},
    );
    expect([answer.status, proxy.asked]).toEqual([202, ['GET http://tsa.test/x?y']]);
  });

  test.each([
    ['host', 'receiver.test', 'receiver.test'],
    ['host of a domain', 'receiver.test', 'a.receiver.test'],
    ['.suffix', '.receiver.test', 'a.receiver.test'],
    ['*.suffix', '*.receiver.test', 'a.receiver.test'],
    ['host:port', 'receiver.test:PORT', 'receiver.test'],
    ['address', '127.0.0.1', '127.0.0.1'],
    ['a list', 'other.test, receiver.test', 'receiver.test'],
    ['*', '*', 'receiver.test'],
    ['* in a list', 'other.test,*', 'receiver.test'],
  ])('unless NO_PROXY has its %s', async (_form, noProxy, host) => {
    const target = await plainServer();
    const { port } = new URL(target);
    const proxy = await startForwardProxy(target);
    for (const name of ['NO_PROXY', 'no_proxy']) {
      const fetch = fetchWith({ HTTP_PROXY: proxy.url, [name]: noProxy.replace('PORT', port) });
      expect((await fetch(`http://${host}:${port}/`, {})).status).toBe(202);
    }
    expect(proxy.asked).toEqual([]);
  });

  test.each([
    ['another host', 'other.test'],
    ['the end of its name', 'ver.test'],
    ['another port', 'receiver.test:1'],
    ['nothing', ''],
  ])('also if NO_PROXY has %s', async (_form, noProxy) => {
    const proxy = await startForwardProxy(await plainServer());
    const fetch = fetchWith({ HTTP_PROXY: proxy.url, NO_PROXY: noProxy });
    expect((await fetch('http://receiver.test/', {})).status).toBe(202);
    expect(proxy.asked).toHaveLength(1);
  });

  test('an IPv6 address in NO_PROXY needs no brackets', () =>
    expect(proxiesOf({ NO_PROXY: '::1, a.test' }).noProxy).toBe('[::1],a.test'));
});

describe('FX-73: the error names the proxy, without its password', () => {
  const failureOf = async (url: string, given: string): Promise<string> => {
    const failure: unknown = await fetchWith({ HTTP_PROXY: given })(url, {}).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProxyFailed);
    return String(failure);
  };

  test.each(['http', 'https'])('that is away, for %s', async (scheme) => {
    const port = await freePort();
    expect(await failureOf(`${scheme}://receiver.test/`, `http://ada:secret@127.0.0.1:${port}`)).toBe(
      `ProxyFailed: the proxy http://127.0.0.1:${port} cannot be reached (ECONNREFUSED)`,
    );
  });

  test.each(['http', 'https'])('that wants another password, for %s', async (scheme) => {
    const { port } = await startForwardProxy('http://127.0.0.1:1', { credentials: 'ada:right' });
    expect(await failureOf(`${scheme}://receiver.test/`, `http://ada:wrong@127.0.0.1:${port}`)).toBe(
      `ProxyFailed: the proxy http://127.0.0.1:${port} answered 407: it wants another user or password`,
    );
  });

  test('that closes the connection', async () => {
    const proxy = await serve((request) => request.socket.destroy());
    expect(await failureOf('https://receiver.test/', proxy)).toContain(
      `the proxy ${proxy} cannot be reached`,
    );
  });

  test.each([
    'socks5://ada:secret@127.0.0.1:1080',
    'http://ada:%zz@host:1',
    'http://host:1/secret',
    'http://:secret@',
  ])('of a setting that is wrong: %s', (value) => {
    for (const name of ['HTTPS_PROXY', 'http_proxy']) {
      expect(() => readConfig({ [name]: value })).toThrow(
        `${name}: got a value that is not shown; allowed: http://`,
      );
      expect(() => readConfig({ [name]: value })).not.toThrow(/secret|zz|socks/);
    }
  });
});

describe('FX-73: every kind of request goes through the proxy', () => {
  const away = async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    return {
      proxies: proxiesOf({ HTTPS_PROXY: url, HTTP_PROXY: url }),
      says: `the proxy ${url} cannot be reached`,
    };
  };

  test('to a sign-in provider', async () => {
    const { ca, port, origin } = await tlsServer();
    const proxy = await startForwardProxy(origin);
    const call = makeLimitedFetch({ issuer: origin, ca }, refusingAll, proxiesOf({ HTTPS_PROXY: proxy.url }));
    expect((await call(origin)).status).toBe(202);
    expect(proxy.asked).toEqual([`CONNECT localhost:${port}`]);
    const { proxies, says } = await away();
    await expect(makeLimitedFetch({ issuer: origin }, refusingAll, proxies)(origin)).rejects.toMatchObject({
      found: 'it cannot be reached',
      detail: `${origin}: ${says} (ECONNREFUSED)`,
    });
  });

  test('to an authority for time stamps', async () => {
    const { proxies, says } = await away();
    const target = toAuthority('http://tsa.test/', temporaryFolder(onTestFinished), makeFetch(proxies));
    const head = { size: 1, root: '', at: 0, signature: '' };
    await expect(target.deposit(head as never, signal)).rejects.toThrow(says);
  });

  test('of the command line over the API', async () => {
    const { origin } = await tlsServer();
    const run = (env: Variables) =>
      runOverApi('https://auth.test', ['whoami', '--json'], { env: { GRANTBOOK_TOKEN: 't', ...env } });
    const proxy = await startForwardProxy(origin, { credentials: 'ada:secret' });
    expect((await run({ https_proxy: proxy.url })).stdout).toContain('certificate');
    expect(proxy.asked).toEqual(['CONNECT auth.test:443']);
    expect((await run({ HTTP_PROXY: proxy.url.replace('secret', 'other') })).json).toMatchObject({
      error: {
        code: 'not-reached',
        message: `https://auth.test cannot be reached: the proxy http://127.0.0.1:${proxy.port} answered 407: it wants another user or password`,
      },
    });
    expect(await run({ HTTPS_PROXY: 'ftp://ada:secret@host' })).toMatchObject({
      exitCode: 2,
      stdout: expect.not.stringContaining('secret') as string,
    });
  });
});

test('FX-73: what is asked of a service on this machine over http, with a token in clear, goes through no proxy', async () => {
  const me = { user_id: 'u', name: 'Olga', roles: ['operator'], expires_at: null, version: '1.0.0' };
  const target = await serve((request, answer) =>
    answer
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(request.url === '/health/ready' ? { status: 'ok' } : me)),
  );
  const proxy = await startForwardProxy(target);
  const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
  const ran = await runOverApi(target, ['whoami', '--json'], { env: { GRANTBOOK_TOKEN: 't', ...env } });
  expect(ran.json).toMatchObject({ name: 'Olga' });
  const proxies = proxiesOf(env);
  const service = findService({
    url: target,
    proxies,
    databaseUrl: null,
    withKafka: false,
    isKnownStopped: false,
  });
  expect(await service.readiness()).toMatchObject({ status: 'ok' });
  expect(proxy.asked).toEqual([]);
});

const refusingAll = makeEndpointGuard({
  isProduction: true,
  resolve: () => Promise.resolve(['10.0.0.1']),
  ownUrls: [],
  ownPorts: [],
});

describe("FX-73: SG-09's guard judges the destination of a push before the proxy is asked", () => {
  const pushBy = async (
    resolve: () => Promise<readonly string[]>,
    options?: Parameters<typeof startForwardProxy>[1],
  ) => {
    const { ca, port, origin } = await tlsServer();
    const proxy = await startForwardProxy(origin, options);
    const guard = makeEndpointGuard({ isProduction: true, resolve, ownUrls: [], ownPorts: [] });
    const proxies = proxiesOf({ HTTPS_PROXY: proxy.url });
    const connections = openGuardedConnections({ guard, ca, proxies });
    onTestFinished(() => connections.destroy());
    const push = (endpointUrl = origin) =>
      pushSet(connections, { endpointUrl, authorization: null, set: 'a.b.c' }, signal);
    return { push, asked: proxy.asked, port };
  };

  test('and it connects to the address that was judged, with TLS for the name', async () => {
    const { push, asked, port } = await pushBy(() => Promise.resolve(['9.9.9.9']));
    expect(await push()).toEqual({ error: null });
    await setImmediate(); // the connection is free again a moment after the answer
    expect(await push()).toEqual({ error: null });
    expect(asked).toEqual([`CONNECT 9.9.9.9:${port}`]); // and stays connected
  });

  test.each([['10.0.0.1'], ['127.0.0.1'], ['169.254.169.254'], ['9.9.9.9', '::1']])(
    'a name of %s is refused',
    async (...addresses) => {
      const { push, asked } = await pushBy(() => Promise.resolve(addresses));
      expect((await push()).error).toContain('was not connected to');
      expect(asked).toEqual([]);
    },
  );

  test('so is an address that is not looked up', async () => {
    const { push, asked } = await pushBy(() => Promise.resolve(['10.0.0.1']));
    expect((await push('https://10.0.0.1/')).error).toContain('was not connected to');
    expect(asked).toEqual([]);
  });

  test('it is asked for each address, and that it connects to none is the failure of the receiver', async () => {
    const addresses = ['9.9.9.9', '2620:fe::fe'];
    const { push, asked, port } = await pushBy(() => Promise.resolve(addresses), { refusal: 503 });
    expect(await push()).toEqual({ error: 'cannot be reached' });
    expect(asked).toEqual([`CONNECT 9.9.9.9:${port}`, `CONNECT [2620:fe::fe]:${port}`]);
  });

  test('that it refuses us is not', async () => {
    const { push } = await pushBy(() => Promise.resolve(['9.9.9.9']), { refusal: 407 });
    await expect(push()).rejects.toBeInstanceOf(ProxyFailed);
  });
});
