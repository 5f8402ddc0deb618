import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantStream } from '../../../src/domain/streams.ts';
import { lists } from '../../../src/http/lists/lists.ts';
import { tokenEndpoints } from '../../../src/http/oauth/token/plugin.ts';
import type { AllowedScope } from '../../../src/domain/access/scope.ts';
import { valueOf } from '../../support/outcomes.ts';
import { challenge, verifier } from '../../support/scenes/grants.ts';
import {
  activate,
  listWith,
  postToken,
  redirectUri,
  setScene,
  type Flow,
  type Scene,
} from '../../support/scenes/http-scene.ts';
import { startPlugins, type PluginApp } from '../../support/scenes/plugin-app.ts';
import {
  credentialsOf,
  obtainTokensOf,
  presentAs,
  refreshOf,
} from '../../support/scenes/presented-tokens.ts';

const allowedScopes: readonly AllowedScope[] = ['openid', 'profiles:read', 'access-rights:read'];
const startAt = Date.UTC(2026, 5, 1, 8);

let http: PluginApp;
let scene: Scene;
let reads = 0;
beforeAll(async () => {
  const countRead = () => void (reads += 1);
  http = await startPlugins((parts) => [lists({ ...parts, countRead }), tokenEndpoints(parts)], {
    startAt,
    quotas: { activation: 1000, addon: 1000 },
  });
  scene = await setScene(http, { confidential: true, allowedScopes });
  await activate(http, scene);
});
afterAll(() => http.close());

const tokensFor = (scope: string, of: Flow = { subject: 'user' }, by = scene) =>
  obtainTokensOf(http, by, { ...of, change: { scope } });
const ofOrganization = ({ organizationId } = scene) => ({ subject: `organization:${organizationId}` });
const grant = (token: string) => listWith(http, '/grant', token);
const answered = async (token: string) => (await grant(token)).json<Record<string, unknown>>();

describe('AP-02: what a token is for', () => {
  test('an organization’s: its id and names, the scopes, until when, and the lists that it opens', async () => {
    const { organizationId } = scene;
    await http.commands.updateOrganization({ organizationId, name: 'Quay Club' });
    await http.commands.updateOrganization({ organizationId, externalId: 'quay' });
    const { access_token: token } = await tokensFor('profiles:read access-rights:read', ofOrganization());
    const introspected = (await presentAs(http, '/oauth/introspect', scene, { token })).json<{
      grant_id: string;
    }>();
    const answer = await grant(token);
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(answer.json()).toEqual({
      grant_id: introspected.grant_id,
      client_id: scene.clientId,
      subject: { type: 'organization', id: organizationId, name: 'Quay Club', external_id: 'quay' },
      scopes: ['profiles:read', 'access-rights:read'],
      resources: [http.baseUrl],
      issued_at: '2026-06-01T08:00:00.000Z',
      expires_at: '2026-06-01T09:00:00.000Z',
      links: {
        profiles: `${http.baseUrl}/profiles`,
        'access-rights': `${http.baseUrl}/access-rights`,
      },
    });
  });

  test('a user’s own: the name only with `profile` (FX-24)', async () => {
    const plain = await tokensFor('openid email profiles:read');
    expect(await answered(plain.access_token)).toMatchObject({ subject: { type: 'user', id: scene.userId } });
    expect((await answered(plain.access_token))['subject']).not.toHaveProperty('name');
    const named = await tokensFor('openid profile');
    expect(await answered(named.access_token)).toMatchObject({
      subject: { type: 'user', id: scene.userId, name: 'Ada Ahoi' },
      links: {},
    });
  });

  test('an organization without an external id has none', async () => {
    const other = await setScene(http, { confidential: true, allowedScopes });
    await activate(http, other);
    const { access_token: token } = await tokensFor('profiles:read', ofOrganization(other), other);
    expect(Object.keys((await answered(token))['subject'] ?? {})).toEqual(['type', 'id', 'name']);
  });

  test('the token, and not the grant: a later one with fewer scopes says so, and the earlier one still does not', async () => {
    const first = await tokensFor('profiles:read access-rights:read');
    http.advance(60_000);
    const { headers } = credentialsOf(scene);
    const narrow = {
      grant_type: 'refresh_token',
      refresh_token: first.refresh_token,
      scope: 'profiles:read',
    };
    const second = (await postToken(http.app, narrow, headers)).json<typeof first>();
    expect(await answered(second.access_token)).toMatchObject({
      scopes: ['profiles:read'],
      issued_at: '2026-06-01T08:01:00.000Z',
      links: { profiles: `${http.baseUrl}/profiles` },
    });
    expect(await answered(first.access_token)).toMatchObject({
      scopes: ['profiles:read', 'access-rights:read'],
      issued_at: '2026-06-01T08:00:00.000Z',
    });
    const third = (await refreshOf(http, scene, second.refresh_token)).json<typeof first>();
    expect((await answered(third.access_token))['scopes']).toEqual(['profiles:read', 'access-rights:read']);
  });

  test('HEAD is answered, and nothing else is offered', async () => {
    const headers = { authorization: `Bearer ${(await tokensFor('openid')).access_token}` };
    const head = await http.app.inject({ method: 'HEAD', url: '/grant', headers });
    expect([head.statusCode, head.body]).toEqual([200, '']);
    const put = await http.app.inject({ method: 'PUT', url: '/grant', headers });
    expect([put.statusCode, put.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  test('counts towards the rate limits, and is no read', async () => {
    const { access_token: token } = await tokensFor('profiles:read', ofOrganization());
    const left = (answer: Awaited<ReturnType<typeof grant>>) =>
      [...String(answer.headers['ratelimit']).matchAll(/r=(\d+)/g)].map(([, remaining]) => Number(remaining));
    const before = reads;
    const [first, second] = [left(await grant(token)), left(await grant(token))];
    expect(reads).toBe(before);
    expect(second).toEqual(first.map((remaining) => remaining - 1));
    const list = left(await listWith(http, '/profiles', token));
    expect(list).toEqual(second.map((remaining) => remaining - 1));
    expect(reads).toBe(before + 1);
  });

  test('FX-23: scripts of any site may ask, as they may ask for a list', async () => {
    const headersOf = async (method: 'GET' | 'OPTIONS', url: string) => {
      const { headers } = await http.app.inject({ method, url });
      return Object.fromEntries(
        Object.entries(headers).filter(([name]) => name.startsWith('access-control-')),
      );
    };
    for (const method of ['GET', 'OPTIONS'] as const)
      expect(await headersOf(method, '/grant')).toEqual(await headersOf(method, '/profiles'));
  });
});

describe('AP-02: every refusal is that of the lists', () => {
  /** Status, problem and challenge; only a missing scope is named, and no list has one that is missing here. */
  const refused = async (url: string, authorization?: string) => {
    const answer = await http.app.inject({ url, headers: authorization ? { authorization } : {} });
    const { type } = answer.json<{ type?: string }>();
    return [answer.statusCode, type, answer.headers['www-authenticate'], answer.headers['retry-after']];
  };
  /** Status and problem, the same at both. */
  const refusedAlike = async (authorization?: string) => {
    const answer = await refused('/grant', authorization);
    expect(answer).toEqual(await refused('/profiles', authorization));
    return [answer[0], String(answer[1]).replace(/.*\//, '')];
  };
  const bearer = async (by = scene, of: Flow = ofOrganization(by)) =>
    `Bearer ${(await tokensFor('profiles:read', of, by)).access_token}`;
  const ownScene = async () => {
    const own = await setScene(http, { confidential: true, allowedScopes });
    await activate(http, own);
    return own;
  };

  test('none, another scheme, no token of ours', async () => {
    expect(await refusedAlike()).toEqual([401, 'token-missing']);
    expect(await refusedAlike('Basic YTpi')).toEqual([401, 'token-missing']);
    const garbled = ['', 'x', 'mkt_at_', 'mkt_at_x', 'a b', 'x'.repeat(10_240)].map(
      (text) => `Bearer ${text}`,
    );
    for (const text of ['Bearer', ...garbled, `${await bearer()}x`])
      expect(await refusedAlike(text)).toEqual([401, 'token-unknown']);
  });

  test('expired', async () => {
    const text = await bearer();
    http.advance(3_600_000);
    expect(await refusedAlike(text)).toEqual([401, 'token-expired']);
  });

  test('for another resource', async () => {
    const { clientId: addonId, userId } = scene;
    const { subject } = await http.commands.ownConsent({ userId, addonId });
    const terms = { scopes: ['profiles:read'], redirectUri, codeChallenge: challenge, nonce: null } as const;
    const asked = { ...terms, resources: ['https://doors.example/api'], authTime: http.now() };
    const { code } = valueOf(await http.commands.issueCode({ addonId, userId, subject, ...asked }));
    const exchange = { addonId, code, redirectUri, codeVerifier: verifier, resources: null };
    const { accessToken } = valueOf(await http.commands.exchangeCode(exchange));
    expect(await refusedAlike(`Bearer ${accessToken}`)).toEqual([401, 'token-for-another-resource']);
  });

  test('P1: deactivated, and after the next activation', async () => {
    const own = await ownScene();
    const text = await bearer(own);
    expect((await refused('/grant', text))[0]).toBe(200);
    const { organizationId, clientId: addonId, userId: by } = own;
    await http.commands.deactivateAddon({ organizationId, addonId, by });
    expect(await refusedAlike(text)).toEqual([401, 'addon-deactivated']);
    await activate(http, own);
    expect(await refusedAlike(text)).toEqual([401, 'addon-deactivated']);
  });

  test('suspended, given back, consent withdrawn', async () => {
    const own = await ownScene();
    const [ofThem, ofUser, given] = [
      await bearer(own),
      await bearer(own, { subject: 'user' }),
      await bearer(own),
    ];
    await presentAs(http, '/oauth/revoke', own, { token: given.replace('Bearer ', '') });
    expect(await refusedAlike(given)).toEqual([401, 'token-revoked']);
    await http.commands.withdrawConsent({ userId: own.userId, addonId: own.clientId });
    expect(await refusedAlike(ofUser)).toEqual([401, 'token-revoked']);
    await http.commands.suspendAddon(own.clientId);
    expect(await refusedAlike(ofThem)).toEqual([401, 'addon-suspended']);
  });

  test('one that the add-on took for itself lacks a scope: 403', async () => {
    const form = { grant_type: 'client_credentials', scope: 'ssf.read' };
    const { access_token: token } = (await postToken(http.app, form, credentialsOf(scene).headers)).json<{
      access_token: string;
    }>();
    const [status, type, challenge] = await refused('/grant', `Bearer ${token}`);
    expect([status, String(type).replace(/.*\//, '')]).toEqual([403, 'insufficient-scope']);
    expect(challenge).toMatch(/^Bearer realm="grantbook", error="insufficient_scope", resource_metadata="/);
    await presentAs(http, '/oauth/revoke', scene, { token });
    expect(await refusedAlike(`Bearer ${token}`)).toEqual([401, 'token-revoked']);
  });

  test('RS-02: while the fence cannot be trusted: 503', async () => {
    const text = await bearer();
    http.setTrusted(false);
    expect(await refusedAlike(text)).toEqual([503, 'temporarily-unavailable']);
    http.setTrusted(true);
  });

  test('LI-06: a parameter, unless the token has ended', async () => {
    const text = await bearer();
    const answer = await http.app.inject({
      url: `/grant?access_token=x&access_token=y&${'z'.repeat(10_240)}=1&%00=`,
      headers: { authorization: text },
    });
    expect(answer.statusCode).toBe(400);
    const { errors } = answer.json<{ errors: { parameter: string }[] }>();
    expect(errors).toEqual(
      ['access_token', 'z'.repeat(64), '?'].map((parameter) => ({
        parameter,
        code: 'unknown',
        allowed: 'no parameter',
      })),
    );
    await presentAs(http, '/oauth/revoke', scene, { token: text.replace('Bearer ', '') });
    expect((await refused('/grant?x=1', text))[0]).toBe(401);
  });

  test('what the log has, and the fence not yet: a grant that was revoked', async () => {
    const own = await ownScene();
    const text = await bearer(own);
    const { grant_id: grantId } = (
      await presentAs(http, '/oauth/introspect', own, { token: text.replace('Bearer ', '') })
    ).json<{ grant_id: string }>();
    const { revision } = await http.store.read(grantStream(grantId));
    const data = { reason: 'revoked-by-operator' as const, at: startAt };
    await http.store.append(grantStream(grantId), revision, [{ event: { type: 'GrantRevoked', data } }]);
    const another = await startPlugins([lists], http);
    const answer = await listWith(another, '/grant', text.replace('Bearer ', ''));
    await another.close();
    expect([answer.statusCode, answer.json<{ type: string }>().type]).toMatchObject([
      401,
      expect.stringMatching(/token-revoked$/),
    ]);
  });
});
