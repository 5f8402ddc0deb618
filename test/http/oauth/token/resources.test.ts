import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lists } from '../../../../src/http/lists/lists.ts';
import { authorize } from '../../../../src/http/oauth/authorize/plugin.ts';
import { userInfo } from '../../../../src/http/oauth/identity/plugin.ts';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { session } from '../../../../src/http/session/plugin.ts';
import { startPlugins, type PluginApp } from '../../../support/scenes/plugin-app.ts';
import {
  authorizeUrl,
  listWith,
  redirectUri,
  setScene,
  signedIn,
  type Scene,
} from '../../../support/scenes/http-scene.ts';
import { verifier } from '../../../support/scenes/grants.ts';
import { credentialsOf, presentAs } from '../../../support/scenes/presented-tokens.ts';

const doors = 'https://doors.example/api';
const lamps = 'urn:example:lamps';

let http: PluginApp;
let scene: Scene;
let doorsApi: Scene;
let lampsApi: Scene;
beforeAll(async () => {
  http = await startPlugins([authorize, lists, session, tokenEndpoints, userInfo]);
  const server = { confidential: true, grantTypes: [], redirectUris: [] } as const;
  const allowedScopes = ['openid', 'profiles:read'] as const;
  scene = await setScene(http, { confidential: true, allowedScopes });
  doorsApi = await setScene(http, { ...server, name: 'Doors API', audiences: [doors] });
  lampsApi = await setScene(http, { ...server, audiences: [lamps, 'urn:example:more'] });
  await allow(scene, doors, lamps);
});
afterAll(() => http.close());

/** As an operator does it. */
const allow = async ({ clientId: addonId }: Scene, ...audiences: readonly string[]) => {
  const add = audiences.map((audience) => ({
    audience,
    resourceServerId: { [doors]: doorsApi.clientId, [lamps]: lampsApi.clientId }[audience] ?? null,
  }));
  expect(await http.commands.updateAddon({ addonId, addAudiences: add })).toMatchObject({ ok: true });
};

type Pairs = readonly (readonly [string, string])[];

/** Like `postToken`, with a name sent as often as it is wanted. */
const token = (fields: Pairs) => {
  const own = credentialsOf(scene);
  return http.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...own.headers },
    payload: new URLSearchParams(fields.map(([name, value]) => [name, value] as [string, string])).toString(),
  });
};
const asking = (...resources: readonly string[]): Pairs =>
  resources.map((resource) => ['resource', resource]);

/** A code for these resources; the pages are asked once, as one request with a repeated parameter. */
const codeFor = async (...resources: readonly string[]): Promise<string> => {
  const browser = await signedIn(http, scene);
  const more = resources.map((resource) => `&resource=${encodeURIComponent(resource)}`).join('');
  const next = await browser.get(`${authorizeUrl(scene, { scope: 'openid profiles:read' })}${more}`);
  const answer = next.statusCode === 303 ? next : await browser.press(next, 'Allow', { subject: 'user' });
  return new URL(String(answer.headers.location)).searchParams.get('code') ?? '';
};
const exchange = (code: string, ...resources: readonly string[]) =>
  token([
    ['grant_type', 'authorization_code'],
    ['code', code],
    ['redirect_uri', redirectUri],
    ['code_verifier', verifier],
    ...asking(...resources),
  ]);
const refresh = (refreshToken: string, ...resources: readonly string[]) =>
  token([['grant_type', 'refresh_token'], ['refresh_token', refreshToken], ...asking(...resources)]);

const introspected = async (accessToken: string, by = scene) =>
  (await presentAs(http, '/oauth/introspect', by, { token: accessToken })).json();
const audOf = async (accessToken: string, by = scene) => (await introspected(accessToken, by)).aud;

describe('the audience of a token', () => {
  test('without `resource` is our base URL, and it opens the lists and userinfo', async () => {
    const { access_token } = (await exchange(await codeFor())).json();
    expect(await audOf(access_token)).toBe(http.baseUrl);
    expect((await listWith(http, '/profiles', access_token)).statusCode).toBe(200);
    expect((await listWith(http, '/oauth/userinfo', access_token)).statusCode).toBe(200);
  });

  test('AZ-22, AZ-53: is what was asked for at authorize', async () => {
    const one = (await exchange(await codeFor(doors))).json();
    expect(await audOf(one.access_token)).toBe(doors);
    const both = (await exchange(await codeFor(doors, lamps, doors))).json();
    expect(await audOf(both.access_token)).toEqual([doors, lamps]);
    expect(await audOf(both.refresh_token)).toEqual([doors, lamps]);
  });

  test('RT-15: is narrowed by `resource` at the exchange and at each refresh, and is whole again without', async () => {
    const first = (await exchange(await codeFor(doors, lamps), lamps)).json();
    expect(await audOf(first.access_token)).toBe(lamps);
    const second = (await refresh(first.refresh_token, doors)).json();
    expect(await audOf(second.access_token)).toBe(doors);
    const third = (await refresh(second.refresh_token)).json();
    expect(await audOf(third.access_token)).toEqual([doors, lamps]);
    const fourth = (await refresh(third.refresh_token, lamps, doors)).json();
    expect(await audOf(fourth.access_token)).toEqual([doors, lamps]);
    expect(await audOf(first.access_token)).toBe(lamps);
  });
});

describe('what was not granted', () => {
  test.each([
    ['another resource', [lamps]],
    ['one more than was granted', [doors, lamps]],
    ['the same address in another spelling', [`${doors}/`]],
    ['our own API, which was not asked for', ['OWN']],
    ['something that is no absolute URI', ['/api']],
    ['something with a fragment', [`${doors}#x`]],
  ])('RT-15: %s is invalid_target at both grants, and nothing is used up', async (_, asked) => {
    const resources = asked.map((resource) => (resource === 'OWN' ? http.baseUrl : resource));
    const code = await codeFor(doors);
    const refused = await exchange(code, ...resources);
    expect([refused.statusCode, refused.json().error]).toEqual([400, 'invalid_target']);
    expect(refused.headers['cache-control']).toBe('no-store');
    const { refresh_token } = (await exchange(code)).json();
    const again = await refresh(refresh_token, ...resources);
    expect([again.statusCode, again.json().error]).toEqual([400, 'invalid_target']);
    expect((await refresh(refresh_token)).statusCode).toBe(200);
  });

  test('RT-15: where no resource was named at authorize, only our own API may be', async () => {
    const code = await codeFor();
    expect((await exchange(code, doors)).json().error).toBe('invalid_target');
    const { access_token } = (await exchange(code, `${http.baseUrl}/`)).json();
    expect(await audOf(access_token)).toBe(http.baseUrl);
  });

  test('FX-63: our own API is recognized by its address in any spelling', async () => {
    const spelled = http.baseUrl.replace('http://', 'HTTP://').replace('127', '%3127') + '/./';
    const { access_token } = (await exchange(await codeFor(), spelled)).json();
    expect(await audOf(access_token)).toBe(http.baseUrl);
  });

  test('TK-10: a wrong code for a wrong resource is a wrong code', async () => {
    expect((await exchange('mkt_code_x', doors)).json().error).toBe('invalid_grant');
    expect((await refresh('mkt_rt_x', doors)).json().error).toBe('invalid_grant');
  });
});

describe('a token for another resource only', () => {
  test('RS-01, UI-03: is refused by the lists and by userinfo with 401 invalid_token', async () => {
    const { access_token } = (await exchange(await codeFor(doors))).json();
    for (const url of ['/profiles', '/access-rights', '/oauth/userinfo']) {
      const answer = await listWith(http, url, access_token);
      expect([url, answer.statusCode]).toEqual([url, 401]);
      expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
      expect(answer.json().type).toBe(`${http.baseUrl}/problems/token-for-another-resource`);
    }
  });

  test('that also names our own API is taken, until it is narrowed away', async () => {
    const both = (await exchange(await codeFor(doors, http.baseUrl))).json();
    expect(await audOf(both.access_token)).toEqual([doors, http.baseUrl]);
    expect((await listWith(http, '/profiles', both.access_token)).statusCode).toBe(200);
    const narrow = (await refresh(both.refresh_token, doors)).json();
    expect((await listWith(http, '/profiles', narrow.access_token)).statusCode).toBe(401);
    expect((await listWith(http, '/profiles', both.access_token)).statusCode).toBe(200);
  });
});

describe('a resource server', () => {
  test('IN-05: introspects the access tokens of any client that are for one of its resources', async () => {
    const both = (await exchange(await codeFor(doors, lamps))).json();
    for (const by of [doorsApi, lampsApi])
      expect(await introspected(both.access_token, by)).toMatchObject({
        active: true,
        client_id: scene.clientId,
        sub: scene.userId,
        aud: [doors, lamps],
      });
    const narrow = (await refresh(both.refresh_token, lamps)).json();
    expect(await introspected(narrow.access_token, doorsApi)).toEqual({ active: false });
    expect(await introspected(narrow.access_token, lampsApi)).toMatchObject({ active: true, aud: lamps });
  });

  test('IN-05: learns nothing of refresh tokens, and of tokens for others', async () => {
    const both = (await exchange(await codeFor(doors, lamps))).json();
    expect(await introspected(both.refresh_token, doorsApi)).toEqual({ active: false });
    const ours = (await exchange(await codeFor())).json();
    for (const by of [doorsApi, lampsApi])
      expect(await introspected(ours.access_token, by)).toEqual({ active: false });
  });

  test('IN-05, SU-01: learns nothing while it is suspended', async () => {
    const { access_token } = (await exchange(await codeFor(doors))).json();
    await http.commands.suspendAddon(doorsApi.clientId);
    expect(await introspected(access_token, doorsApi)).toEqual({ active: false });
    await http.commands.resumeAddon(doorsApi.clientId);
    expect(await introspected(access_token, doorsApi)).toMatchObject({ active: true });
  });

  test('IN-04: learns at once that a token was revoked', async () => {
    const { access_token } = (await exchange(await codeFor(doors))).json();
    expect(await introspected(access_token, doorsApi)).toMatchObject({ active: true });
    await presentAs(http, '/oauth/revoke', scene, { token: access_token });
    expect(await introspected(access_token, doorsApi)).toEqual({ active: false });
  });
});

describe('CL-06: a consent covers audiences, too', () => {
  const scope = 'profiles:read';
  const urlFor = (of: Scene, more: Readonly<Record<string, string>>, ...resources: readonly string[]) =>
    `${authorizeUrl(of, { scope, ...more })}${resources.map((one) => `&resource=${encodeURIComponent(one)}`).join('')}`;
  const answerOf = ({ headers }: { readonly headers: { readonly location?: unknown } }) =>
    Object.fromEntries(new URL(String(headers.location)).searchParams);

  const approved = async (of: Scene) => {
    const browser = await signedIn(http, of);
    await browser.press(await browser.get(urlFor(of, {})), 'Allow', { subject: 'user' });
    const silently = async (...resources: readonly string[]) =>
      answerOf(await browser.get(urlFor(of, { prompt: 'none' }, ...resources)));
    return { browser, silently };
  };

  test('another resource than our own API is refused unless an operator allowed this add-on to ask for it', async () => {
    const other = await setScene(http, { confidential: true, allowedScopes: [scope] });
    const { silently } = await approved(other);
    expect(await silently(doors)).toMatchObject({ error: 'invalid_target' });
    expect(await silently(http.baseUrl, doors)).toMatchObject({ error: 'invalid_target' });
    expect(await silently(http.baseUrl)).toHaveProperty('code');
    await allow(other, doors);
    expect(await silently(doors)).toMatchObject({ error: 'consent_required' });
    expect(await silently(lamps)).toMatchObject({ error: 'invalid_target' });
    await http.commands.updateAddon({ addonId: other.clientId, removeAudiences: [doors] });
    expect(await silently(doors)).toMatchObject({ error: 'invalid_target' });
  });

  test('each is remembered apart, with the scopes that were approved for it', async () => {
    const other = await setScene(http, { confidential: true, allowedScopes: [scope, 'reservations:read'] });
    await allow(other, doors, lamps);
    const { browser, silently } = await approved(other);
    expect(await silently(doors)).toMatchObject({ error: 'consent_required' });
    const page = await browser.get(urlFor(other, {}, doors));
    expect(answerOf(await browser.press(page, 'Allow', { subject: 'user' }))).toHaveProperty('code');
    expect(await silently(doors)).toHaveProperty('code');
    expect(await silently(doors, http.baseUrl)).toHaveProperty('code');
    expect(await silently(doors, lamps)).toMatchObject({ error: 'consent_required' });
    const more = urlFor(other, { scope: `${scope} reservations:read` });
    await browser.press(await browser.get(more), 'Allow', { subject: 'user' });
    expect(answerOf(await browser.get(`${more}&prompt=none`))).toHaveProperty('code');
    expect(
      answerOf(await browser.get(`${more}&prompt=none&resource=${encodeURIComponent(doors)}`)),
      'more scopes were approved here, not there',
    ).toMatchObject({ error: 'consent_required' });

    await http.commands.withdrawConsent({ userId: other.userId, addonId: other.clientId });
    expect(await silently(doors)).toMatchObject({ error: 'consent_required' });
  });

  test('the approval page shows the resource server by its name, and our own API only where it is asked for, too', async () => {
    const browser = await signedIn(http, scene);
    const next = await browser.get(urlFor(scene, {}));
    expect((next.statusCode === 303 ? '' : next.body).includes('Where it may use this')).toBe(false);
    const asked = async (...resources: readonly string[]) =>
      (await browser.get(urlFor(scene, { prompt: 'consent' }, ...resources))).body;
    const one = await asked(doors);
    expect(one).toContain('<bdi>Doors API</bdi>');
    expect(one).toContain(`<bdi>${doors}</bdi>`);
    expect(one).not.toContain('In this marketplace');
    expect(await asked(doors, http.baseUrl)).toContain('In this marketplace');
    expect(await asked(http.baseUrl)).not.toContain('Where it may use this');
  });
});
