import { lists as listPlugin } from '../../../src/http/lists/lists.ts';
import { userInfo } from '../../../src/http/oauth/identity/plugin.ts';
import { tokenEndpoints } from '../../../src/http/oauth/token/plugin.ts';
import { session } from '../../../src/http/session/plugin.ts';
import { valueOf } from '../../support/outcomes.ts';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startPlugins, type PluginApp } from '../../support/scenes/plugin-app.ts';
import {
  activate,
  createUser,
  listWith,
  obtainTokens,
  setScene,
  type Scene,
  type Tokens,
} from '../../support/scenes/http-scene.ts';
import { testBrowser } from '../../support/scenes/pages.ts';
import { basic } from '../../support/scenes/presented-tokens.ts';
import { readLimitItems, type LimitItem } from '../../support/documents/structured-fields.ts';

const second = 1_000;
const minute = 60 * second;
const lists = ['/access-rights', '/profiles', '/reservations'] as const;

let http: PluginApp;
/** Reads of the read models; those of a refused request would be here, too. */
let reads: number;

const start = async (quotas: Parameters<typeof startPlugins>[1] = {}) => {
  vi.useFakeTimers({ toFake: ['Date'] }); // the clock of the library; nothing waits
  reads = 0;
  http = await startPlugins((given) => {
    const parts = { ...given, readModels: counting(given.readModels) };
    return [listPlugin(parts), session(parts), tokenEndpoints(parts), userInfo(parts)];
  }, quotas);
};

const counting = <T extends object>(readModels: T): T =>
  new Proxy(readModels, {
    get: (target, name, receiver) => {
      reads += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });

const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

const stop = async () => {
  await http.close();
  vi.useRealTimers();
};

const policies = (answer: LightMyRequestResponse) => readLimitItems(answer.headers['ratelimit-policy']);
const left = (answer: LightMyRequestResponse) => readLimitItems(answer.headers['ratelimit']);
const item = (name: string, parameters: LimitItem['parameters']): LimitItem => ({ name, parameters });

/** Another organization of its own administrator that has activated the same add-on. */
const neighbour = async (scene: Scene): Promise<Scene> => {
  const other = await setScene(http);
  const shared = { ...other, clientId: scene.clientId };
  await activate(http, shared);
  return shared;
};

const furnished = async (): Promise<{ scene: Scene; token: string }> => {
  const scene = await setScene(http);
  await activate(http, scene);
  const { access_token: token } = await obtainTokens(http, scene, organizationOf(scene));
  return { scene, token };
};

const organizationOf = ({ organizationId }: Scene) => ({ subject: `organization:${organizationId}` });

const profiles = (token: string) => listWith(http, '/profiles', token);

const times = async (count: number, ask: () => Promise<LightMyRequestResponse>) => {
  const statuses: number[] = [];
  for (let time = 0; time < count; time += 1) statuses.push((await ask()).statusCode);
  return statuses;
};

describe('§4: the lists are limited per activation and per add-on', () => {
  beforeAll(() => start({ quotas: { activation: 5, addon: 8 } }));
  afterAll(stop);

  test('every response names the policies, and what is left to whoever has shown a token', async () => {
    const { token } = await furnished();
    const both = [item('activation', { q: 5, w: 60 }), item('addon', { q: 8, w: 60 })];
    const bearer = { authorization: `Bearer ${token}` };
    const answers = [
      await http.app.inject({ url: '/profiles', headers: bearer }),
      await http.app.inject({ url: '/profiles?page=0', headers: bearer }),
      await http.app.inject({ url: '/reservations', method: 'HEAD', headers: bearer }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 400, 200]);
    const etag = String(answers[0]?.headers['etag']);
    const same = await http.app.inject({ url: '/profiles', headers: { ...bearer, 'if-none-match': etag } });
    expect(same.statusCode).toBe(304);
    for (const [index, answer] of [...answers, same].entries()) {
      expect(policies(answer)).toEqual(both);
      expect(left(answer)).toEqual([
        item('activation', { r: 4 - index, t: 60 }),
        item('addon', { r: 7 - index, t: 60 }),
      ]);
    }
    const strangers = [
      await http.app.inject({ url: '/profiles' }),
      await http.app.inject({ url: '/profiles', headers: { authorization: `Bearer ${token}x` } }),
      await http.app.inject({ url: '/profiles', method: 'DELETE', headers: bearer }),
    ];
    expect(strangers.map(({ statusCode }) => statusCode)).toEqual([401, 401, 405]);
    for (const answer of strangers) {
      expect(policies(answer)).toEqual(both);
      expect(answer.headers).not.toHaveProperty('ratelimit');
    }
  });

  test('one request too many is refused with 429, and Retry-After is when it may come again', async () => {
    const { token } = await furnished();
    for (const url of [...lists, ...lists].slice(0, 5))
      expect((await listWith(http, url, token)).statusCode).toBe(200);
    pass(42_500);
    const before = reads;
    const refused = await profiles(token);
    expect(reads).toBe(before);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['access-control-allow-origin']).toBe('*'); // a script in a browser has to see it, too
    expect(refused.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(refused.json()).toMatchObject({
      type: `${http.baseUrl}/problems/too-many-requests`,
      status: 429,
      detail: 'More requests than the policy activation allows.',
      'violated-policies': ['activation'],
    });
    expect(left(refused)).toEqual([item('activation', { r: 0, t: 18 })]);
    expect(refused.headers['retry-after']).toBe('18');
    expect(policies(refused)).toHaveLength(2);

    pass(17_499);
    expect((await profiles(token)).headers['retry-after']).toBe('1');
    pass(1);
    const again = await profiles(token);
    expect(again.statusCode).toBe(200);
    expect(left(again)).toEqual([item('activation', { r: 4, t: 60 }), item('addon', { r: 7, t: 60 })]);
  });

  test('two organizations of one add-on have a quota each, and share the add-on’s', async () => {
    const { scene, token } = await furnished();
    const there = await neighbour(scene);
    const { access_token: other } = await obtainTokens(http, there, organizationOf(there));
    expect(await times(9, () => profiles(token))).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429]);
    // Those that were refused have not eaten from what the add-on has: 8 less 5.
    expect(await times(4, () => profiles(other))).toEqual([200, 200, 200, 429]);
    const refused = await profiles(other);
    expect(refused.json()).toMatchObject({ 'violated-policies': ['addon'] });
    expect(left(refused)).toEqual([item('addon', { r: 0, t: 60 })]);
  });

  test('what the add-on’s limit refuses does not eat from the activation', async () => {
    const { scene, token } = await furnished();
    const there = await neighbour(scene);
    const { access_token: other } = await obtainTokens(http, there, organizationOf(there));
    expect(await times(5, () => profiles(other))).not.toContain(429);
    pass(30 * second);
    expect(await times(10, () => profiles(token))).toEqual([200, 200, 200, ...Array<number>(7).fill(429)]);
    pass(30 * second); // the add-on’s window ends, the activation’s goes on
    expect(left(await profiles(token))).toEqual([
      item('activation', { r: 1, t: 30 }),
      item('addon', { r: 7, t: 60 }),
    ]);
  });

  test('a user’s own token counts by itself, whatever organizations the user is in', async () => {
    const { scene, token } = await furnished();
    const email = `guest-${scene.clientId}@harbour.example`;
    await createUser(http, email);
    const { access_token: own } = await obtainTokens(http, { ...scene, email });
    expect(await times(6, () => profiles(token))).toContain(429);
    expect(left(await profiles(own))).toEqual([
      item('activation', { r: 4, t: 60 }),
      item('addon', { r: 2, t: 60 }),
    ]);
  });

  test('a dead token and one without the scope cost a read, so they count; one that is not ours counts nowhere', async () => {
    const { scene, token } = await furnished();
    const narrow = await obtainTokens(http, scene, {
      ...organizationOf(scene),
      change: { scope: 'reservations:read' },
    });
    const forbidden = await profiles(narrow.access_token);
    expect([forbidden.statusCode, left(forbidden)[0]]).toEqual([403, item('activation', { r: 4, t: 60 })]);
    const { organizationId, clientId: addonId, userId: by } = scene;
    await http.commands.deactivateAddon({ organizationId, addonId, by });
    expect(await times(5, () => profiles(token))).toEqual([401, 401, 401, 401, 429]);
    expect(await times(9, () => profiles(`${token}x`))).not.toContain(429);
    // Activated anew, it does not have a new quota.
    await activate(http, scene);
    const { access_token: fresh } = await obtainTokens(http, scene, organizationOf(scene));
    expect((await profiles(fresh)).statusCode).toBe(429);
  });

  test('userinfo is limited with them', async () => {
    const scene = await setScene(http, { allowedScopes: ['openid', 'profiles:read'] });
    const { access_token: token } = await obtainTokens(http, scene, {
      change: { scope: 'openid profiles:read' },
    });
    const userInfo = () => listWith(http, '/oauth/userinfo', token);
    expect(left(await profiles(token))).toContainEqual(item('activation', { r: 4, t: 60 }));
    expect(left(await userInfo())).toContainEqual(item('activation', { r: 3, t: 60 }));
    expect(await times(4, userInfo)).toEqual([200, 200, 200, 429]);
    expect((await userInfo()).headers['access-control-allow-origin']).toBe('*');
    for (const url of ['/oauth/userinfo', '/profiles', '/reservations', '/access-rights'])
      expect(policies(await http.app.inject({ method: 'OPTIONS', url }))).toHaveLength(2);
  });

  test('nothing is counted while the service does not know yet which tokens are dead', async () => {
    const { token } = await furnished();
    http.setTrusted(false);
    const waiting = await profiles(token);
    expect([waiting.statusCode, waiting.headers['ratelimit']]).toEqual([503, undefined]);
    http.setTrusted(true);
    expect(left(await profiles(token))[0]).toEqual(item('activation', { r: 4, t: 60 }));
  });
});

describe('§4: 0 switches a limit off', () => {
  afterEach(stop);

  test('one of two: the other is sent and kept', async () => {
    await start({ quotas: { activation: 0, addon: 2 } });
    const { token } = await furnished();
    const first = await profiles(token);
    expect(policies(first)).toEqual([item('addon', { q: 2, w: 60 })]);
    expect(left(first)).toEqual([item('addon', { r: 1, t: 60 })]);
    expect(await times(2, () => profiles(token))).toEqual([200, 429]);
  });

  test('both, and that of the token endpoint: nothing is sent, and nobody refused', async () => {
    await start();
    const { scene, token } = await furnished();
    expect(await times(20, () => profiles(token))).not.toContain(429);
    const answers = [await profiles(token), await askTokens(scene)];
    for (const { headers } of answers) {
      expect(headers).not.toHaveProperty('ratelimit');
      expect(headers).not.toHaveProperty('ratelimit-policy');
    }
  });
});

/** So that no test finds a network in which another one has asked. */
let elsewhere = 0;

type Asked = { readonly from?: string; readonly headers?: Record<string, string> };

/** A refresh with a token that is none. */
const askTokens = ({ clientId }: Pick<Scene, 'clientId'>, { from = '192.0.2.1', headers }: Asked = {}) =>
  http.app.inject({
    method: 'POST',
    url: '/oauth/token',
    remoteAddress: from,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: 'none',
    }).toString(),
  });

const madeUp = (index: number) => ({ clientId: `01JZZZZZZZZZZZZZZZZZZZZZ${String(index).padStart(2, '0')}` });

describe('§4: the token endpoint is limited per add-on and network', () => {
  beforeAll(() => start({ quotas: { token: 4 } }));
  afterAll(stop);

  /** Its first request is counted with all others of its network: only the answer shows that it is an add-on. */
  const known = async (changes: Parameters<typeof setScene>[1] = {}): Promise<Scene> => {
    const scene = await setScene(http, changes);
    await askTokens(scene, { from: `203.0.113.${(elsewhere += 1)}` });
    return scene;
  };

  test('matrix 2.14: too many attempts are answered with 429, Retry-After, and JSON on which nobody throws a token away', async () => {
    const scene = await known();
    expect(await times(4, () => askTokens(scene))).toEqual([400, 400, 400, 400]);
    pass(20 * second);
    const { origin } = new URL('https://addon.example/cb');
    const refused = await askTokens(scene, { headers: { origin } });
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.stringContaining('too many requests') as unknown,
    });
    expect(refused.headers).toMatchObject({
      'retry-after': '40',
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'content-type': 'application/json; charset=utf-8',
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'RateLimit, RateLimit-Policy, Retry-After',
    });
    expect(left(refused)).toEqual([item('token', { r: 0, t: 40 })]);
    pass(40 * second);
    expect(left(await askTokens(scene))).toEqual([item('token', { r: 3, t: 60 })]);
  });

  test('every answer names the policy, and every POST that can be read what is left', async () => {
    const scene = await known();
    await activate(http, scene);
    const url = '/oauth/token';
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const good: Tokens = await obtainTokens(http, scene, organizationOf(scene));
    const payload = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: scene.clientId,
      refresh_token: good.refresh_token,
    }).toString();
    const remoteAddress = '192.0.2.9';
    const post = (more: object) => http.app.inject({ method: 'POST', url, remoteAddress, ...more });
    const answers = {
      200: await post({ headers: form, payload }),
      400: await post({ headers: form, payload: 'grant_type=nothing' }),
      401: await post({ headers: form, payload: payload.replace(scene.clientId, madeUp(1).clientId) }),
      415: await post({ headers: { 'content-type': 'application/json' }, payload: '{}' }),
      405: await http.app.inject({ url }),
      204: await http.app.inject({ method: 'OPTIONS', url }),
    };
    expect([200, 400, 401].map((status) => answers[status as 200].statusCode)).toEqual([200, 400, 401]);
    for (const answer of Object.values(answers))
      expect(policies(answer)).toEqual([item('token', { q: 4, w: 60 })]);
    for (const status of [200, 400, 401] as const)
      expect(left(answers[status])).toEqual([
        item('token', { r: expect.any(Number) as unknown as number, t: 60 }),
      ]);
    for (const status of [415, 405, 204] as const)
      expect(answers[status].headers['ratelimit']).toBeUndefined();
  });

  test('a stranger elsewhere does not use up an add-on’s quota, and neither does another add-on', async () => {
    const [scene, other] = [await known(), await known()];
    expect(await times(6, () => askTokens(scene, { from: '198.51.100.7' }))).toContain(429);
    expect(left(await askTokens(scene))).toEqual([item('token', { r: 3, t: 60 })]);
    expect(left(await askTokens(other, { from: '198.51.100.7' }))).toEqual([item('token', { r: 3, t: 60 })]);
  });

  test('made-up ids, and none at all, share one quota in each network', async () => {
    const scene = await known();
    const from = '2001:db8::1';
    const ask = [0, 1].map((index) => () => askTokens(madeUp(index), { from }));
    for (const one of ask) expect((await one()).statusCode).toBe(401);
    expect((await askTokens({ clientId: '' }, { from })).statusCode).toBe(400);
    const headers = basic(madeUp(9).clientId, 'x');
    expect((await askTokens({ clientId: '' }, { from, headers })).statusCode).toBe(401);
    expect((await askTokens(madeUp(3), { from: '2001:db8::ffff' })).statusCode).toBe(429);
    expect((await askTokens(madeUp(3), { from: '2001:db8:0:1::1' })).statusCode).toBe(401);
    expect((await askTokens(scene, { from })).statusCode).toBe(400); // is an add-on
  });

  test('a confidential add-on has its own quota only once it has shown its secret', async () => {
    const scene = await setScene(http, { confidential: true });
    const proof = (secret: string | null) => ({ headers: basic(scene.clientId, String(secret)) });
    const from = '192.0.2.77';
    const guess = () => askTokens(scene, { from, ...proof('wrong') });
    expect(await times(5, guess)).toEqual([401, 401, 401, 401, 429]);
    const right = proof(scene.clientSecret);
    expect((await askTokens(scene, { from: '198.51.100.9', ...right })).statusCode).toBe(400);
    expect(left(await askTokens(scene, { from, ...right }))).toEqual([item('token', { r: 3, t: 60 })]);
  });

  test('FX-33: requests with a removed secret do not count against the add-on', async () => {
    const scene = await setScene(http, { confidential: true });
    const from = '192.0.2.78';
    const ask = (secret: string | null) =>
      askTokens(scene, { from, headers: basic(scene.clientId, String(secret)) });
    expect((await ask(scene.clientSecret)).statusCode).toBe(400);
    const added = valueOf(await http.commands.addAddonSecret(scene.clientId));
    const [first] = (await http.commands.findAddon(scene.clientId))?.secretIds ?? [];
    valueOf(await http.commands.removeAddonSecret({ addonId: scene.clientId, secretId: first ?? '' }));
    expect(await times(5, () => ask(scene.clientSecret))).toEqual([401, 401, 401, 429, 429]);
    expect(left(await ask(added.clientSecret))).toEqual([item('token', { r: 3, t: 60 })]);
  });

  test('what is refused is looked up nowhere', async () => {
    const scene = await known();
    await times(4, () => askTokens(scene));
    const before = reads;
    const find = vi.spyOn(http.commands, 'findAddon');
    expect((await askTokens(scene)).statusCode).toBe(429);
    expect([reads - before, find.mock.calls.length]).toEqual([0, 0]);
    pass(minute);
    expect((await askTokens(scene)).statusCode).toBe(400);
    expect(find).toHaveBeenCalledOnce();
    find.mockRestore();
  });

  test('giving a token back is not refused by this limit', async () => {
    const scene = await known();
    await times(5, () => askTokens(scene));
    const give = () =>
      http.app.inject({
        method: 'POST',
        url: '/oauth/revoke',
        remoteAddress: '192.0.2.1',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: `client_id=${scene.clientId}&token=none`,
      });
    expect(await times(10, give)).toEqual(Array(10).fill(200));
    expect((await give()).headers).not.toHaveProperty('ratelimit-policy');
  });

  test('a page that a person signs in on is not limited by it', async () => {
    await times(6, () => askTokens(madeUp(1), { from: '127.0.0.1' }));
    expect((await testBrowser(http.app).get('/sign-in')).statusCode).toBe(200);
  });
});
