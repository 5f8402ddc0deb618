import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { signInProviderChecks } from '../../src/cli/doctor/sign-in-providers.ts';
import { readConfig } from '../../src/config/config.ts';
import type { SignInProvider } from '../../src/config/sign-in-providers.ts';
import { makeFederation } from '../../src/federation/federation.ts';
import { makeProvider } from '../../src/federation/provider.ts';
import { ProviderTrouble } from '../../src/federation/provider-trouble.ts';
import { makeEndpointGuard, resolveHost } from '../../src/signals/endpoint/endpoint-guard.ts';
import { reportProviders } from '../../src/process/service-checks.ts';
import { makeCertificates } from '../support/servers/certificates.ts';
import { freePort } from '../support/servers/free-port.ts';
import { json, startHostileProvider, type Fault } from '../support/servers/hostile-provider.ts';
import { quietLogger } from '../support/quiet-logger.ts';

/** Offers these algorithms; undefined: does not say. */
const offering = (...algs: readonly string[]): Fault => ({
  discovery: (answer, right) => json(answer, { ...right, id_token_signing_alg_values_supported: algs }),
});
/** Offers these algorithms for UserInfo. */
const listing = (...algs: readonly string[]): Fault => ({
  discovery: (answer, right) => json(answer, { ...right, userinfo_signing_alg_values_supported: algs }),
});
const strangersKey = generateKeyPair('RS256');
const faults: Readonly<Record<string, Fault>> = {
  right: {},
  both: { ...offering('ES256', 'RS256'), alg: 'ES256' },
  'only-ec': { ...offering('HS256', 'ES256', 'none'), alg: 'ES256' },
  several: { ...offering('ES256', 'PS256'), alg: 'ES256' },
  symmetric: offering('HS256', 'none'),
  silent: {
    discovery: (answer, right) =>
      json(answer, { ...right, id_token_signing_alg_values_supported: undefined }),
  },
  away: { discovery: (answer) => json(answer, {}, 500) },
  'user-info-jwt': {
    ...listing('RS256'),
    userInfo: (sign) => sign({ sub: 'user-of-user-info-jwt', name: 'Ada' }),
  },
  'user-info-jwt-unlisted': {
    userInfo: (sign) => sign({ sub: 'user-of-user-info-jwt-unlisted', name: 'Ada' }),
  },
  'user-info-other-alg': {
    ...listing('RS256', 'ES256'),
    userInfo: (sign) => sign({ sub: 'user-of-user-info-other-alg', name: 'Ada' }, 'ES256'),
  },
  'user-info-forged': {
    userInfo: async () =>
      new SignJWT({ sub: 'user-of-user-info-forged', name: 'Eve' })
        .setProtectedHeader({ alg: 'RS256', kid: 'first' })
        .sign((await strangersKey).privateKey),
  },
  'user-info-of-another': { userInfo: (sign) => sign({ sub: 'another', name: 'Eve' }) },
  'user-info-401': { userInfo: 401 },
  'user-info-403': { userInfo: 403 },
  elsewhere: {
    discovery: (answer, right) =>
      json(answer, { ...right, token_endpoint: right.token_endpoint.replace('127.0.0.1', 'localhost') }),
  },
  refusing: {
    discovery: (answer, right) =>
      json(answer, { ...right, token_endpoint: `http://127.0.0.1:${closedPort}/token` }),
  },
};

const closedPort = await freePort();
const hostile = await startHostileProvider(faults);
afterAll(() => hostile.close());

const guard = makeEndpointGuard({
  isProduction: false,
  resolve: resolveHost,
  ownUrls: [],
  ownPorts: [],
});

const at = (
  id: string,
  change: Partial<SignInProvider> = {},
  now: () => number = () => Date.now(),
  judge = guard,
) => {
  const provider = makeProvider(hostile.settings(id, change), { now, guard: judge });
  const signIn = () => {
    const [code, state, nonce] = [1, 2, 3].map(() => randomBytes(8).toString('hex')) as [
      string,
      string,
      string,
    ];
    hostile.expect(code, nonce);
    const back = new URL(`http://localhost/sign-in/callback/${id}?code=${code}&state=${state}`);
    return provider.identify(back, { state, nonce, verifier: 'v'.repeat(43) });
  };
  return {
    signIn,
    status: () => provider.status(),
    verifyLogoutToken: (token: string) => provider.verifyLogoutToken(token),
  };
};

const logout = (change: Readonly<Record<string, unknown>> = {}) => ({
  sub: 'somebody',
  jti: randomBytes(8).toString('hex'),
  events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  ...change,
});
const typ = 'logout+jwt';

/** Tokens that a stranger makes: right in everything but the key, which the provider does not publish. */
const forged = async (id: string): Promise<string> => {
  const { privateKey } = await strangersKey;
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ iss: hostile.issuerOf(id), aud: 'grantbook', iat: now, exp: now + 60, ...logout() })
    .setProtectedHeader({ alg: 'RS256', kid: randomBytes(4).toString('hex'), typ })
    .sign(privateKey);
};

const troubleOf = async (work: Promise<unknown>): Promise<ProviderTrouble> => {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ProviderTrouble);
  return error as ProviderTrouble;
};

describe('FX-06: tokens of a provider are accepted with one algorithm', () => {
  test('RS256 where the metadata offers it, although it offers others, too', async () => {
    const { signIn, verifyLogoutToken } = at('both');
    expect((await troubleOf(signIn())).found).toMatch(/not one of OpenID Connect/);
    const wrong = await verifyLogoutToken(
      await hostile.signLogoutToken('both', logout(), { typ, alg: 'ES256' }),
    );
    expect(wrong).toEqual({ problem: expect.stringContaining('ERR_JOSE_ALG_NOT_ALLOWED') });
    const right = await verifyLogoutToken(await hostile.signLogoutToken('both', logout(), { typ }));
    expect(right).toMatchObject({ token: { subject: 'somebody' } });
  });

  test('RS256 where the metadata does not say', async () => {
    expect((await at('silent').signIn()).subject).toBe('user-of-silent');
  });

  test('otherwise the only one with a public key that the metadata offers', async () => {
    const { signIn, verifyLogoutToken } = at('only-ec');
    expect((await signIn()).subject).toBe('user-of-only-ec');
    const token = await hostile.signLogoutToken('only-ec', logout(), { typ, alg: 'ES256' });
    expect(await verifyLogoutToken(token)).toHaveProperty('token');
    const other = await hostile.signLogoutToken('only-ec', logout(), { typ });
    expect(await verifyLogoutToken(other)).toHaveProperty('problem');
  });

  test.each([
    ['several', /id_token_signed_response_alg has to be set for it, because it offers PS256, ES256/],
    ['symmetric', /^it offers no algorithm with a public key for id_tokens: .* one of RS256, .*, Ed25519$/],
  ])('or else the status says what has to be set, and where (FX-83): %s', async (id, found) => {
    const { signIn, status } = at(id);
    expect((await status())?.found).toMatch(found);
    expect((await troubleOf(signIn())).found).toMatch(found);
  });

  test('and so does the start of the service, which goes on', async () => {
    const lines: unknown[] = [];
    const warn = (fields: object, message: string) => void lines.push([message, fields]);
    const providers = ['right', 'several'].map((id) => hostile.settings(id));
    const signIns = null as never; // nobody signs in
    const federation = makeFederation({ local: true, providers, signIns, now: () => Date.now(), guard });
    await reportProviders(federation, { ...quietLogger(), warn });
    const found = expect.stringContaining('id_token_signed_response_alg has to be set') as string;
    expect(lines).toEqual([
      ['users cannot sign in with a provider', { provider: 'several', found, detail: null }],
    ]);
  });

  test('that of the settings goes before what the metadata offers', async () => {
    const { signIn, status, verifyLogoutToken } = at('several', { signingAlg: 'ES256' });
    expect(await status()).toBeNull();
    expect((await signIn()).subject).toBe('user-of-several');
    const other = at('both', { signingAlg: 'ES256' });
    expect((await other.signIn()).subject).toBe('user-of-both');
    const token = await hostile.signLogoutToken('several', logout(), { typ });
    expect(await verifyLogoutToken(token)).toHaveProperty('problem');
  });
});

describe('FX-06: a logout token without exp', () => {
  const verify = async (age: number) => {
    const iat = Math.floor(Date.now() / 1000) - age;
    return at('right').verifyLogoutToken(
      await hostile.signLogoutToken('right', logout({ iat, exp: undefined }), { typ }),
    );
  };

  test('is accepted while its iat is at most two minutes old, and remembered as long', async () => {
    const read = await verify(110);
    const now = Date.now();
    expect(read).toHaveProperty('token.expiresAt');
    const { expiresAt } = (read as { readonly token: { readonly expiresAt: number } }).token;
    expect(expiresAt).toBeGreaterThan(now);
    expect(expiresAt).toBeLessThanOrEqual(now + 10_000);
  });

  test('is refused later, and where its iat is in the future', async () => {
    expect(await verify(122)).toEqual({ problem: 'exp is missing, and iat is too long ago' });
    expect(await verify(-120)).toEqual({ problem: 'iat is in the future' });
  });
});

describe('FX-14: UserInfo', () => {
  test('as a signed JWT is read, with the algorithm of the provider', async () => {
    expect((await at('user-info-jwt').signIn()).claims).toMatchObject({ name: 'Ada' });
    const unlisted = await at('user-info-jwt-unlisted').signIn();
    expect(unlisted.claims).toMatchObject({ name: 'Ada' });
  });

  test.each([
    ['user-info-other-alg', /not one of OpenID Connect/],
    ['user-info-forged', /not one of OpenID Connect/],
    ['user-info-of-another', /its answers do not belong together/],
    ['user-info-401', /its UserInfo endpoint refused our access token \(401\)/],
    ['user-info-403', /its UserInfo endpoint refused our access token \(403\)/],
  ])('%s is reported as what it is', async (id, found) => {
    expect((await troubleOf(at(id).signIn())).found).toMatch(found);
  });
});

describe('FX-13: hosts that only the metadata names', () => {
  const guarded = (address: string) =>
    makeEndpointGuard({
      isProduction: true,
      resolve: () => Promise.resolve([address]),
      ownUrls: [],
      ownPorts: [],
    });

  test.each([
    ['127.0.0.1', 'a loopback address'],
    ['10.0.0.7', 'a private address'],
    ['169.254.169.254', 'a link-local address'],
  ])('that resolve to %s are not called, and only the log says why', async (address, kind) => {
    const calls = hostile.calls('/elsewhere/token');
    const provider = at('elsewhere', {}, () => Date.now(), guarded(address));
    const trouble = await troubleOf(provider.signIn());
    expect(trouble.found).toBe('its metadata names an address that is not called');
    expect(trouble.detail).toMatch(/^http:\/\/localhost:\d+ must have a host .* it resolves to /);
    expect(trouble.detail).toContain(kind);
    expect(hostile.calls('/elsewhere/token')).toBe(calls);
  });

  test('are called where their address is allowed, and the issuer’s own host always is', async () => {
    expect((await at('elsewhere').signIn()).subject).toBe('user-of-elsewhere');
    const strict = at('right', {}, () => Date.now(), guarded('127.0.0.1'));
    expect((await strict.signIn()).subject).toBe('user-of-right');
  });

  test('network errors are for the log, not for the page', async () => {
    const { found, detail } = await troubleOf(at('refusing').signIn());
    expect(found).toBe('it cannot be reached');
    expect(detail).toMatch(/^http:\/\/127\.0\.0\.1:\d+: ECONNREFUSED$/);
  });
});

describe('FX-14: a provider behind a private authority', () => {
  test('is reached with its ca_file, and doctor names the setting', async () => {
    const { ca, server: identity } = await makeCertificates();
    const tls = createServer({ cert: identity.cert, key: identity.key }, (_request, answer) =>
      json(answer, {
        issuer: `https://127.0.0.1:${(tls.address() as AddressInfo).port}`,
        authorization_endpoint: 'https://127.0.0.1/a',
        token_endpoint: 'https://127.0.0.1/t',
        jwks_uri: 'https://127.0.0.1/k',
      }),
    );
    tls.listen(0, '127.0.0.1');
    await once(tls, 'listening');
    onTestFinished(() => void tls.close());
    const issuer = `https://127.0.0.1:${(tls.address() as AddressInfo).port}`;
    const findingOf = async (change: Partial<SignInProvider>) => {
      const providers = [hostile.settings('private', { issuer, ...change })];
      const checks = signInProviderChecks({ ...readConfig({}), signIn: { local: true, providers } });
      return (await Promise.all(checks.map(({ run }) => run()))).flat();
    };
    expect(await findingOf({})).toEqual([
      {
        check: 'sign-in provider private',
        state: 'warning',
        found: expect.stringMatching(
          /^private: it cannot be reached \(https:.*: (SELF_SIGNED|UNABLE_TO)_/,
        ) as string,
        advice: expect.stringMatching(/^set ca_file of the provider/) as string,
      },
    ]);
    expect(await findingOf({ ca })).toMatchObject([{ state: 'ok', found: 'answers (with ca_file)' }]);
  });
});

describe('FX-07: strangers do not make us call a provider', () => {
  test('60 forged tokens at once: one fetch of the keys, and one more after five seconds', async () => {
    let time = Date.now();
    const { verifyLogoutToken } = at('right', {}, () => time);
    const token = await hostile.signLogoutToken('right', logout(), { typ });
    expect(await verifyLogoutToken(token)).toHaveProperty('token');
    const before = hostile.calls('/right/keys');
    time += 5_000;
    const flood = async () => {
      const tokens = await Promise.all(Array.from({ length: 60 }, () => forged('right')));
      const read = await Promise.all(tokens.map(verifyLogoutToken));
      expect(read.filter((one) => 'problem' in one)).toHaveLength(60);
    };
    await flood();
    await flood();
    expect(hostile.calls('/right/keys')).toBe(before + 1);
    time += 5_000;
    await flood();
    expect(hostile.calls('/right/keys')).toBe(before + 2);
  });

  test('sign-ins with an unknown key share the same fetch', async () => {
    let time = Date.now();
    const { signIn } = at('right', {}, () => time);
    await signIn();
    await hostile.rotate();
    const before = hostile.calls('/right/keys');
    time += 5_000;
    const users = await Promise.all(Array.from({ length: 20 }, signIn));
    expect(users).toHaveLength(20);
    expect(hostile.calls('/right/keys')).toBe(before + 1);
  });

  test('a provider that is away is asked for its metadata once in five seconds, too', async () => {
    let time = Date.now();
    const { verifyLogoutToken } = at('away', {}, () => time);
    const path = '/away/.well-known/openid-configuration';
    const token = await forged('away');
    for (let round = 0; round < 20; round += 1) await troubleOf(verifyLogoutToken(token));
    await Promise.all(Array.from({ length: 20 }, () => troubleOf(verifyLogoutToken(token))));
    expect(hostile.calls(path)).toBe(1);
    time += 5_000;
    await troubleOf(verifyLogoutToken(token));
    expect(hostile.calls(path)).toBe(2);
  });
});
