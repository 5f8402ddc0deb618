import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { admin } from '../../../src/http/admin/plugin.ts';
import { lists } from '../../../src/http/lists/lists.ts';
import { userInfo } from '../../../src/http/oauth/identity/plugin.ts';
import { tokenEndpoints } from '../../../src/http/oauth/token/plugin.ts';
import { session } from '../../../src/http/session/plugin.ts';
import { organizationStream, sessionStream } from '../../../src/domain/streams.ts';
import { startPlugins } from '../../support/scenes/plugin-app.ts';
import { activate, obtainTokens, password, setScene, type Scene } from '../../support/scenes/http-scene.ts';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { testBrowser } from '../../support/scenes/pages.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { presentAs } from '../../support/scenes/presented-tokens.ts';

const http = await startPlugins([admin, tokenEndpoints, userInfo, lists, session]);
const scene = await setScene(http, { name: 'Gate Keeper' });
afterAll(() => http.close());

let names = 0;
const issue = async (of: Scene, change: { organizationId?: string | null; days?: number } = {}) => {
  names += 1;
  const { userId, organizationId } = of;
  const request = { userId, organizationId, name: `program ${names}`, days: 30, by: userId, ...change };
  return valueOf(await http.commands.issueAdministratorToken(request));
};

type Method = 'GET' | 'PUT' | 'DELETE';
type Sent = { readonly cookies?: Record<string, string>; readonly headers?: Record<string, string> };
const call = (method: Method, url: string, token: string, { cookies = {}, headers = {} }: Sent = {}) =>
  http.app.inject({ method, url, cookies, headers: { authorization: `Bearer ${token}`, ...headers } });
const addonsUrl = ({ organizationId }: Scene) => `/organizations/${organizationId}/addons`;
const activationUrl = (of: Scene) => `${addonsUrl(of)}/${of.clientId}/activation`;
const addresses = (of: Scene) =>
  [
    ['GET', addonsUrl(of)],
    ['GET', activationUrl(of)],
    ['PUT', activationUrl(of)],
    ['DELETE', activationUrl(of)],
  ] as const;
type Answer = Awaited<ReturnType<typeof call>>;
const problem = (answer: Answer) => [
  answer.statusCode,
  answer.json().type.replace(/.*\//, ''),
  answer.headers['www-authenticate'],
];
const refused = (kind: string, status = 401, error = 'invalid_token') => [
  status,
  kind,
  `Bearer realm="grantbook", error="${error}"`,
];
const lastEvent = async (of: Scene) =>
  (await http.store.read(`activation-${of.organizationId}.${of.clientId}`)).events.at(-1);

describe('the administrators’ API with a token', () => {
  test('AC-04: activates, shows and deactivates as its user, and the log says by which token', async () => {
    const theirs = await setScene(http);
    const { token, tokenId } = await issue(theirs);
    const url = activationUrl(theirs);
    expect((await call('PUT', url, token)).json()).toMatchObject({ status: 'active', epoch: 1 });
    expect(await lastEvent(theirs)).toMatchObject({
      event: { type: 'AddonActivated', data: { by: theirs.userId } },
      metadata: { actor: theirs.userId, tokenId },
    });
    expect((await call('GET', url, token)).json()).toMatchObject({ status: 'active' });
    const [listed] = (await call('GET', addonsUrl(theirs), token))
      .json()
      .items.filter(({ client_id: id }: { client_id: string }) => id === theirs.clientId);
    expect(listed).toMatchObject({ status: 'active', activated_by: theirs.userId });
    expect((await call('DELETE', url, token)).json()).toMatchObject({ status: 'deactivated', epoch: 1 });
    expect(await lastEvent(theirs)).toMatchObject({
      event: { type: 'AddonDeactivated', data: { by: theirs.userId } },
      metadata: { actor: theirs.userId, tokenId },
    });
  });

  test('AC-04: without proof the answer names the scheme, and no error (RFC 6750 §3.1)', async () => {
    for (const [method, url] of addresses(scene)) {
      expect(problem(await http.app.inject({ method, url }))).toEqual([
        401,
        'sign-in-required',
        'Bearer realm="grantbook"',
      ]);
      const basic = { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` };
      expect(problem(await http.app.inject({ method, url, headers: basic }))[1]).toBe('sign-in-required');
    }
  });

  test('AC-04: an unknown, expired or revoked one is refused everywhere, each for its reason', async () => {
    const theirs = await setScene(http);
    const expired = await issue(theirs, { days: 1 });
    http.advance(86_400_000);
    const living = await issue(theirs);
    const revoked = await issue(theirs);
    const { userId } = theirs;
    await http.commands.revokeAdministratorToken({ userId, tokenId: revoked.tokenId, by: userId });
    for (const [method, url] of addresses(theirs)) {
      const told = async (token: string) => problem(await call(method, url, token));
      expect(await told(expired.token)).toEqual(refused('administrator-token-expired'));
      expect(await told(revoked.token)).toEqual(refused('administrator-token-revoked'));
      for (const garbled of ['', 'x', `${living.token}A`, `${living.token} `.repeat(2), 'mkt_admin_'])
        expect(await told(garbled)).toEqual(refused('administrator-token-unknown'));
    }
    const { status } = await http.commands.showActivation(theirs.organizationId, theirs.clientId);
    expect(status).toBe('never-activated');
    expect((await call('GET', addonsUrl(theirs), living.token)).statusCode).toBe(200);
  });

  test('AC-04: it reaches no further than its organization, and no further than its user', async () => {
    const theirs = await setScene(http);
    const bound = await issue(scene);
    const forAll = await issue(scene, { organizationId: null });
    for (const [method, url] of addresses(theirs)) {
      expect(problem(await call(method, url, bound.token))).toEqual(
        refused('administrator-token-for-another-organization', 403, 'insufficient_scope'),
      );
      expect(problem(await call(method, url, forAll.token))).toEqual(
        refused('not-an-administrator', 403, 'insufficient_scope'),
      );
    }
    for (const { token } of [bound, forAll])
      expect((await call('GET', addonsUrl(scene), token)).statusCode).toBe(200);
    const { status } = await http.commands.showActivation(theirs.organizationId, theirs.clientId);
    expect(status).toBe('never-activated');
  });

  test('AC-04: one for all follows its user: into an organization, and out of it at once', async () => {
    const [first, second] = [await setScene(http), await setScene(http)];
    const { token } = await issue(first, { organizationId: null });
    const url = addonsUrl(second);
    const stream = organizationStream(second.organizationId);
    const change = async (type: 'AdministratorAdded' | 'AdministratorRemoved') => {
      const { revision } = await http.store.read(stream);
      await http.store.append(stream, revision, [
        { event: { type, data: { userId: first.userId, source: null, at: 1_800_000_000_000 } } },
      ]);
    };
    expect((await call('GET', url, token)).statusCode).toBe(403);
    await change('AdministratorAdded');
    expect((await call('GET', url, token)).statusCode).toBe(200);
    const bound = await issue({ ...second, userId: first.userId });
    await change('AdministratorRemoved');
    for (const one of [token, bound.token])
      expect(problem(await call('GET', url, one))[1]).toBe('not-an-administrator');
  });

  test('AC-04: of a session and a token only the token counts, good or bad', async () => {
    const theirs = await setScene(http);
    const browser = testBrowser(http.app);
    await browser.signIn(scene.email, password);
    const cookies = Object.fromEntries(browser.cookies);
    const { token, tokenId } = await issue(theirs);
    expect((await call('PUT', activationUrl(theirs), token, { cookies })).statusCode).toBe(200);
    expect((await lastEvent(theirs))?.metadata).toEqual({
      actor: theirs.userId,
      tokenId,
      traceparent: expect.any(String),
    });
    expect((await http.app.inject({ url: addonsUrl(scene), cookies })).statusCode).toBe(200);
    for (const bad of ['', 'x', token])
      expect((await call('GET', addonsUrl(scene), bad, { cookies })).statusCode).toBe(
        bad === token ? 403 : 401,
      );
  });

  test('AC-01: nobody’s browser is handed over, not even one that is signed in at the same time', async () => {
    const theirs = await setScene(http);
    const browser = testBrowser(http.app);
    await browser.signIn(theirs.email, password);
    const cookies = Object.fromEntries(browser.cookies);
    const { token } = await issue(theirs);
    const sessionId = [...browser.cookies.values()].map((value) => /^[0-9A-Z]{26}(?=\.)/.exec(value)?.[0]);
    const events = async () => {
      const id = sessionId.find((found) => found !== undefined);
      return (await http.store.read(sessionStream(id ?? ''))).events.map(({ event }) => event.type);
    };
    expect((await call('PUT', activationUrl(theirs), token, { cookies })).statusCode).toBe(200);
    expect(await events()).toEqual(['SessionStarted']);
    await http.app.inject({ method: 'PUT', url: activationUrl(theirs), cookies });
    expect(await events()).toEqual(['SessionStarted', 'ActivationHandedOff']);
  });

  test('AZ-40: no browser sends a token by itself, so where the request comes from does not matter', async () => {
    const { token } = await issue(scene);
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      for (const method of ['PUT', 'DELETE'] as const)
        expect((await call(method, activationUrl(scene), token, { headers })).statusCode).toBe(200);
  });

  test('ids that cannot be ours are named to whoever has a token', async () => {
    const { token } = await issue(scene);
    expect((await call('GET', '/organizations/x/addons', token)).json().errors).toMatchObject([
      { parameter: 'organization_id', code: 'malformed' },
    ]);
  });
});

describe('a token at the wrong door', () => {
  test('an access token of an add-on is no administrator token', async () => {
    const theirs = await setScene(http);
    await activate(http, theirs);
    const { access_token: access, refresh_token: refresh } = await obtainTokens(http, theirs);
    for (const [method, url] of addresses(theirs))
      for (const token of [access, refresh, access.replace('mkt_at_', 'mkt_admin_')])
        expect(problem(await call(method, url, token))).toEqual(refused('administrator-token-unknown'));
    expect((await call('GET', '/profiles', access)).statusCode).toBe(200);
  });

  test('RS-01: an administrator token is unknown at the lists and at userinfo', async () => {
    const { token } = await issue(scene);
    for (const url of ['/profiles', '/reservations', '/access-rights', '/oauth/userinfo'])
      for (const sent of [token, token.replace('mkt_admin_', 'mkt_at_')])
        expect(problem(await call('GET', url, sent)).slice(0, 2)).toEqual([401, 'token-unknown']);
  });

  test('IN-05, RV-01: at introspect it is inactive, and revoke does not end it', async () => {
    const confidential = await setScene(http, { confidential: true });
    const { token } = await issue(confidential);
    const introspected = await presentAs(http, '/oauth/introspect', confidential, { token });
    expect(introspected.json()).toEqual({ active: false });
    expect((await presentAs(http, '/oauth/revoke', confidential, { token })).statusCode).toBe(200);
    expect((await call('GET', addonsUrl(confidential), token)).statusCode).toBe(200);
  });
});

test('what is garbled, cut or put together anew is refused with 401, never with 500 and never accepted', async () => {
  const { token } = await issue(scene);
  const body = token.slice('mkt_admin_'.length);
  const at = fc.nat({ max: token.length - 1 });
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/='.split('');
  const sent = fc.oneof(
    fc
      .tuple(at, fc.constantFrom(...alphabet))
      .map(([place, char]) => token.slice(0, place) + char + token.slice(place + 1)),
    at.map((place) => token.slice(0, place)),
    at.map((place) => token + token.slice(place)),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => `mkt_admin_${Buffer.from(bytes).toString('base64url')}`),
    fc
      .uint8Array({ maxLength: 200 })
      .map((bytes) => `mkt_admin_${Buffer.from([1, 2, 107, 49, ...bytes]).toString('base64url')}`),
    fc.constantFrom(
      `mkt_code_${body}`,
      `mkt_at_${body}`,
      `mkt_rt_${body}`,
      body,
      `mkt_admin_mkt_admin_${body}`,
    ),
    fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 3_000 }),
    fc.string({ maxLength: 50 }).filter((text) => !/[\r\n\0]|[^\x20-\x7e]/.test(text)),
  );
  await fc.assert(
    fc.asyncProperty(
      sent.filter((text) => text.trim() !== token),
      async (text) => {
        const answer = await call('GET', addonsUrl(scene), text);
        expect(problem(answer)).toEqual(refused('administrator-token-unknown'));
      },
    ),
    propertyRuns(200),
  );
  expect((await call('GET', addonsUrl(scene), token)).statusCode).toBe(200);
});
