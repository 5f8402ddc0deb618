import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { lists } from '../../../src/http/lists/lists.ts';
import { userInfo } from '../../../src/http/oauth/identity/plugin.ts';
import { tokenEndpoints } from '../../../src/http/oauth/token/plugin.ts';
import { makeAddonOf } from '../../../src/http/signals/addon-token.ts';
import { ownTokensPerMinute } from '../../../src/http/limits/counters/rate-limits.ts';
import { valueOf } from '../../support/outcomes.ts';
import { startPlugins, type PluginApp } from '../../support/scenes/plugin-app.ts';
import { listWith, postToken, setScene, type Scene, type Tokens } from '../../support/scenes/http-scene.ts';
import { traceparent } from '../../support/memory/traced-commands.ts';
import { basic, obtainTokensOf, presentAs } from '../../support/scenes/presented-tokens.ts';

/** SG-02: what a confidential add-on takes for itself with `client_credentials`, and what ends it. */
/** Two instances over one log, each with an address for each scope, as the addresses of Shared Signals judge it. */
const instances: FastifyInstance[] = [];
/** The commands of the second one. */
let elsewhere: PluginApp['commands'];
const form = 'application/x-www-form-urlencoded';

const listen: Parameters<typeof startPlugins>[0] = (parts) => {
  elsewhere = parts.commands;
  const app = fastify();
  const addonOf = makeAddonOf(parts);
  for (const scope of ['ssf.read', 'ssf.manage'] as const)
    app.get(`/${scope}`, async (request, reply) => {
      const caller = await addonOf(request, reply, scope);
      return caller ? { addonId: caller.addonId, scopes: caller.scopes } : reply;
    });
  instances.push(app);
  return [lists(parts), tokenEndpoints(parts), userInfo(parts)];
};

const http = await startPlugins(listen, { startAt: Date.UTC(2026, 5, 1) });
await startPlugins(listen, http);
const addon = await setScene(http, { name: 'Sync', confidential: true });
const open = await setScene(http, { name: 'Open' });
afterAll(async () => {
  await http.close();
  for (const app of instances) await app.close();
});

const take = (
  { clientId, clientSecret }: Pick<Scene, 'clientId' | 'clientSecret'>,
  fields: Record<string, string | string[]> = {},
) =>
  http.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': form, ...(clientSecret === null ? {} : basic(clientId, clientSecret)) },
    payload: new URLSearchParams(
      Object.entries({ grant_type: 'client_credentials', ...fields }).flatMap(([name, values]) =>
        [values].flat().map((value) => [name, value]),
      ),
    ).toString(),
  });

const tokenOf = async (
  scene: Pick<Scene, 'clientId' | 'clientSecret'> = addon,
  scope = '',
): Promise<string> => {
  const answer = await take(scene, { scope });
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.json<Tokens>().access_token;
};

type Opened = readonly [status: number, problem?: string, challenge?: string];

const openAt = async (app: FastifyInstance | undefined, scope: string, token: string): Promise<Opened> => {
  const answer = await (app as FastifyInstance).inject({
    url: `/${scope}`,
    headers: token === '' ? {} : { authorization: `Bearer ${token}` },
  });
  if (answer.statusCode === 200) return [200];
  const { type } = answer.json<{ readonly type: string }>();
  return [answer.statusCode, type.replace(/.*\//, ''), String(answer.headers['www-authenticate'])];
};

/** What both instances answer. */
const opens = async (token: string, scope = 'ssf.read') =>
  Promise.all(instances.map((app) => openAt(app, scope, token)));

const both = (...opened: Opened) => [opened, opened];
const invalidToken = 'Bearer realm="grantbook", error="invalid_token"';

describe('taking one', () => {
  test('SG-02: without registration, with the secret in either place, and no refresh token', async () => {
    const { clientId, clientSecret } = addon;
    const answers = [
      await take(addon, { scope: 'ssf.read ssf.manage' }),
      await postToken(http.app, {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret ?? '',
        resource: http.baseUrl,
      }),
    ];
    for (const answer of answers) {
      expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store, no-transform']);
      const { access_token, ...rest } = answer.json<Tokens>();
      expect(access_token).toMatch(/^mkt_at_/);
      expect(rest).toEqual({
        token_type: 'Bearer',
        expires: 3600,
        expires_in: 3600,
        scope: 'ssf.read ssf.manage',
      });
      expect(await opens(access_token, 'ssf.manage')).toEqual(both(200));
    }
  });

  test('SG-02: a part of the scopes gives that part, and manage includes read', async () => {
    const reading = await tokenOf(addon, 'ssf.read ssf.read');
    expect(await opens(reading)).toEqual(both(200));
    expect(await opens(reading, 'ssf.manage')).toEqual(
      both(
        403,
        'insufficient-scope',
        'Bearer realm="grantbook", error="insufficient_scope", scope="ssf.manage"',
      ),
    );
    expect(await opens(await tokenOf(addon, 'ssf.manage'))).toEqual(both(200));
  });

  test.each([
    ['a scope of grants', { scope: 'ssf.read profiles:read' }, 'invalid_scope'],
    ['openid', { scope: 'openid' }, 'invalid_scope'],
    ['10 kB of scope', { scope: 'x'.repeat(10_240) }, 'invalid_scope'],
    ['a malformed scope', { scope: 'ssf.read  ssf.manage' }, 'invalid_scope'],
    ['the scope twice', { scope: ['ssf.read', 'ssf.read'] }, 'invalid_request'],
    ['another resource', { resource: 'https://door.example' }, 'invalid_target'],
    ['our own and another', { resource: ['http://127.0.0.1:8080', 'urn:door'] }, 'invalid_target'],
    ['no resource', { resource: 'x' }, 'invalid_target'],
  ])('SG-02: %s is refused', async (_, fields, error) => {
    const answer = await take(addon, fields);
    expect([answer.statusCode, answer.json().error]).toEqual([400, error]);
  });

  test('SG-02: a public add-on may not; who has no secret of the add-on is not it', async () => {
    const fields = { grant_type: 'client_credentials', client_id: open.clientId };
    const refused = await postToken(http.app, fields);
    expect([refused.statusCode, refused.json().error]).toEqual([400, 'unauthorized_client']);
    const other = await setScene(http, { confidential: true });
    for (const clientSecret of [other.clientSecret, 'guessed', null]) {
      const given = clientSecret === null ? {} : basic(addon.clientId, clientSecret);
      const stranger = await postToken(http.app, { ...fields, client_id: addon.clientId }, given);
      expect([stranger.statusCode, stranger.json().error]).toEqual([401, 'invalid_client']);
    }
  });

  test('SG-02: a resource server is an add-on with a secret, too', async () => {
    const server = await setScene(http, { name: 'Doors API', confidential: true, grantTypes: [] });
    expect(await opens(await tokenOf(server))).toEqual(both(200));
  });

  test('SG-02: each is one event, which holds neither the token nor a secret', async () => {
    const before = http.lines.length;
    const token = await tokenOf();
    const { jti } = await introspected(addon, token);
    const { events } = await http.store.read(`clientToken-${String(jti).replace('addon.', '')}`);
    expect(events.map(({ event, metadata }) => [event.type, metadata.actor])).toEqual([
      ['AddonTokenIssued', `addon:${addon.clientId}`],
    ]);
    expect(
      JSON.stringify([events, http.lines.slice(before)], (_, value: unknown) => String(value)),
    ).not.toContain(token);
  });

  test('a loop is stopped, and other add-ons are not', async () => {
    const looping = await setScene(http, { confidential: true });
    for (let taken = 0; taken < ownTokensPerMinute; taken += 1) await tokenOf(looping);
    const stopped = await take(looping);
    expect([stopped.statusCode, stopped.json().error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(stopped.headers['retry-after'])).toBeGreaterThan(0);
    expect((await take(addon)).statusCode).toBe(200);
  });
});

const introspected = async (scene: Scene, token: string) =>
  (await presentAs(http, '/oauth/introspect', scene, { token })).json<Record<string, unknown>>();

describe('using one', () => {
  test('SG-02: it opens nothing that grants open, and the token of a grant opens no signals', async () => {
    const token = await tokenOf();
    for (const [url, scope] of [
      ['/profiles', 'profiles:read'],
      ['/reservations', 'reservations:read'],
      ['/access-rights', 'access-rights:read'],
      ['/oauth/userinfo', 'openid'],
    ] as const) {
      const answer = await listWith(http, url, token);
      const challenge = String(answer.headers['www-authenticate']).replace(
        /, resource_metadata="[^"]+"$/,
        '',
      );
      expect([url, answer.statusCode, challenge]).toEqual([
        url,
        403,
        `Bearer realm="grantbook", error="insufficient_scope", scope="${scope}"`,
      ]);
    }
    const { access_token } = await obtainTokensOf(http, addon, { subject: 'user' });
    const insufficient = 'Bearer realm="grantbook", error="insufficient_scope", scope="ssf.read"';
    expect(await opens(access_token)).toEqual(both(403, 'insufficient-scope', insufficient));
    await presentAs(http, '/oauth/revoke', addon, { token: access_token });
    expect(await opens(access_token)).toEqual(both(401, 'token-revoked', invalidToken));
  });

  test('none, a forged, a refresh and a foreign one are answered as RFC 6750 says', async () => {
    const { refresh_token } = await obtainTokensOf(http, addon, { subject: 'user' });
    const token = await tokenOf();
    expect(await opens('')).toEqual(both(401, 'token-missing', 'Bearer realm="grantbook"'));
    for (const wrong of ['x', refresh_token, `${token.slice(0, -2)}AA`, `${token}=`])
      expect(await opens(wrong)).toEqual(both(401, 'token-unknown', invalidToken));
  });

  test('SG-02: its add-on and a resource server of this API may introspect it, and nobody else', async () => {
    const token = await tokenOf(addon, 'ssf.read');
    const { jti, ...rest } = await introspected(addon, token);
    const at = Date.UTC(2026, 5, 1) / 1000;
    expect(jti).toMatch(/^addon\.[0-9A-Z]{26}$/);
    expect(rest).toEqual({
      active: true,
      scope: 'ssf.read',
      client_id: addon.clientId,
      token_type: 'Bearer',
      exp: at + 3600,
      iat: at,
      sub: addon.clientId,
      aud: http.baseUrl,
      iss: http.baseUrl,
    });
    const ours = { confidential: true, grantTypes: [], audiences: [http.baseUrl] };
    const server = await setScene(http, ours);
    expect((await introspected(server, token))['active']).toBe(true);
    await http.commands.suspendAddon(server.clientId);
    const other = await setScene(http, { confidential: true });
    for (const scene of [server, other]) expect(await introspected(scene, token)).toEqual({ active: false });
  });
});

describe('the end of one', () => {
  const firstSecret = async ({ clientId: addonId }: Scene) => {
    const [first] = (await http.commands.listAddonSecrets(addonId)) ?? [];
    return { addonId, secretId: first?.secretId ?? '' };
  };
  const endedBy = async (token: string, other: string, problem = 'token-revoked') => {
    expect(await opens(token)).toEqual(both(401, problem, invalidToken));
    expect(await opens(other)).toEqual(both(200));
    expect((await listWith(http, '/profiles', token)).statusCode).toBe(401);
  };

  test('SG-02: revoked by its add-on it ends alone, on every instance; by another it does not', async () => {
    const [token, other] = [await tokenOf(), await tokenOf()];
    const stranger = await setScene(http, { confidential: true });
    const refused = await presentAs(http, '/oauth/revoke', stranger, { token });
    expect([refused.statusCode, refused.json().error]).toEqual([400, 'invalid_grant']);
    expect(await opens(token)).toEqual(both(200));
    for (let time = 0; time < 2; time += 1)
      expect((await presentAs(http, '/oauth/revoke', addon, { token })).statusCode).toBe(200);
    await endedBy(token, other);
    expect(await introspected(addon, token)).toEqual({ active: false });
  });

  test('SG-02: it ends with the secret that it was taken with, and with no other', async () => {
    const scene = await setScene(http, { confidential: true });
    const old = await tokenOf(scene);
    const first = await firstSecret(scene);
    const { clientSecret } = valueOf(await http.commands.addAddonSecret(scene.clientId));
    const young = await tokenOf({ ...scene, clientSecret });
    expect(await opens(old)).toEqual(both(200));
    await http.commands.removeAddonSecret(first);
    await endedBy(old, young);
    expect(await introspected({ ...scene, clientSecret }, old)).toEqual({ active: false });
    const refused = await take(scene);
    expect([refused.statusCode, refused.json().error]).toEqual([401, 'invalid_client']);
  });

  test('SG-02: an instance that still knows a removed secret gives no token for it', async () => {
    const scene = await setScene(http, { confidential: true });
    expect((await take(scene)).statusCode).toBe(200);
    await http.commands.addAddonSecret(scene.clientId);
    await elsewhere.removeAddonSecret(await firstSecret(scene), { traceparent });
    const refused = await take(scene);
    expect([refused.statusCode, refused.json().error]).toEqual([401, 'invalid_client']);
  });

  test('SG-02: it ends with the retirement of its add-on', async () => {
    const scene = await setScene(http, { confidential: true });
    const token = await tokenOf(scene);
    // Without read models the receipts cannot be made; the retirement itself is in force.
    await http.commands.retireAddon({ addonId: scene.clientId, by: 'break-glass' }).catch(() => undefined);
    await endedBy(token, await tokenOf());
    expect((await take(scene)).statusCode).toBe(401);
  });

  test('SG-02: a suspension leaves it valid, and the add-on may take another', async () => {
    const scene = await setScene(http, { confidential: true });
    const token = await tokenOf(scene);
    await http.commands.suspendAddon(scene.clientId);
    expect(await opens(token)).toEqual(both(200));
    expect(await opens(await tokenOf(scene))).toEqual(both(200));
    expect((await introspected(scene, token))['active']).toBe(true);
  });

  test('SG-02: after an hour it has expired', async () => {
    const token = await tokenOf();
    http.advance(3_599_999);
    expect(await opens(token)).toEqual(both(200));
    http.advance(1);
    await endedBy(token, await tokenOf(), 'token-expired');
    expect(await introspected(addon, token)).toEqual({ active: false });
  });
});
