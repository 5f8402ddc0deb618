import pMap from 'p-map';
import { afterAll, describe, expect, test } from 'vitest';
import { entities } from '../../../src/tasks/entities.ts';
import { placeOf } from '../../../src/tasks/places.ts';
import { operatorApiPaths } from '../../../src/http/operator/operator-paths.ts';
import { addonStream } from '../../../src/domain/streams.ts';
import type { Method } from '../../../src/http/openapi/describe.ts';
import { offeredBy } from '../../support/documents/registered-routes.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  createUser,
  obtainTokens,
  password,
  setScene,
  signedIn,
} from '../../support/scenes/http-scene.ts';
import { apiAt, tokenOf, type ApiMethod, type Item, type More } from '../../support/scenes/operator-api.ts';

const userWith = (name: string, ...roles: readonly ('operator' | 'auditor')[]) =>
  createUser(http, `${name}@example.com`, [scene.organizationId], { name, roles });

const http = await startHttpApp();
const scene = await setScene(http, { name: 'Gate Keeper' });
await activate(http, scene);
const operator = await userWith('olive', 'operator');
const bound = await tokenOf(http, operator, scene.organizationId);
const auditor = await tokenOf(http, await userWith('audrey', 'auditor'));
const api = apiAt(http, '/operator/api/', await tokenOf(http, operator));
await http.settle();
afterAll(() => http.close());

type Sent = More & { readonly body?: unknown };
const call = (method: ApiMethod, path: string, { body, ...more }: Sent = {}) =>
  api(method, path, body as object | undefined, more);
const items = async (query: string) =>
  (await call('GET', `grants?${query}`)).json['items'] as readonly Item[];

describe('the operators’ API', () => {
  test('of two operators at once, the second learns what changed, and nothing is done', async () => {
    await obtainTokens(http, scene);
    await http.settle();
    const [grant] = await items(`addon=${scene.clientId}&state=active`);
    const path = `grants/${String(grant?.['grant_id'])}`;
    const seen = { 'if-match': String((await call('GET', path)).headers['etag']) };
    expect((await call('POST', `${path}/revoke`, { headers: seen })).status).toBe(200);
    const second = await call('POST', `${path}/revoke`, { headers: seen });
    expect([second.status, second.kind]).toEqual([412, 'changed-meanwhile']);
    expect(second.json['detail']).toContain(operator);
    expect((await call('POST', `${path}/revoke`, { headers: { 'if-match': '*' } })).status).toBe(200);
  });

  test('pages by cursor, and filters by everything that the command line filters by', async () => {
    await obtainTokens(http, scene);
    await http.settle();
    const all = await items('limit=1000');
    expect(all.length).toBeGreaterThan(1);
    const paged: Item[] = [];
    for (let next: string | null = ''; next !== null;) {
      const after: string = next === '' ? '' : `&after=${next}`;
      const { json } = await call('GET', `grants?limit=1${after}`);
      paged.push(...(json['items'] as readonly Item[]));
      next = json['next'] as string | null;
    }
    expect(paged).toEqual(all);
    for (const list of ['grants', 'signals'])
      expect((await call('GET', `${list}?after=%00`)).status).toBe(400);
    expect(await items('unused_for=90d')).toEqual([]);
    expect(await items(`user=${operator}`)).toEqual([]);
  });

  test('PG-04: a list is sorted, page by page; an unknown order and the place of another one are refused by name', async () => {
    const walk = async (sort: string) => {
      const names: string[] = [];
      for (let next: string | null = ''; next !== null;) {
        const query = `sort=${sort}&limit=2${next === '' ? '' : `&after=${encodeURIComponent(next)}`}`;
        const { json } = await call('GET', `users?${query}`);
        names.push(
          ...(json['items'] as readonly Item[]).map(({ name, email }) => `${String(name)} ${String(email)}`),
        );
        next = json['next'] as string | null;
      }
      return names;
    };
    const up = await walk('name');
    expect(up.map((text) => text.replace(/ .*/, ''))).toEqual(['Ada', 'audrey', 'olive']);
    expect(await walk('-name')).toEqual([...up].reverse());
    expect((await walk('-email'))[0]).toContain('olive@example.com');
    expect(await walk('-created_at')).toEqual([...(await walk('created_at'))].reverse());
    const first = await call('GET', 'users?sort=name&limit=1');
    expect(first.json).not.toHaveProperty('total'); // only pages count
    for (const [query, parameter, allowed] of [
      ['sort=state', 'sort', 'one of created_at, -created_at, name, -name, email, -email'],
      ['sort=name&sort=email', 'sort', 'one of created_at, -created_at, name, -name, email, -email'],
      [`after=${String(first.json['next'])}`, 'after', 'the next of an answer with the same sort'],
      [`sort=-name&after=${String(first.json['next'])}`, 'after', 'the next of an answer with the same sort'],
      [`sort=name&after=${operator}`, 'after', 'the next of an answer with the same sort'],
    ])
      expect(await call('GET', `users?${query}`)).toMatchObject({
        status: 400,
        json: { errors: [{ parameter, allowed }] },
      });
  });

  test.each([
    [
      'a token that is none of ours',
      { authorization: 'Bearer mkt_admin_x' },
      401,
      'administrator-token-unknown',
    ],
    ['an auditor', auditor, 403, 'not-an-operator'],
    ['a token for one organization', bound, 403, 'administrator-token-for-another-organization'],
  ])('is closed to %s', async (_whom, as, status, kind) => {
    for (const path of ['grants', 'grants/01JD0000000000000000000000'])
      expect(await call('GET', path, { as })).toMatchObject({ status, kind });
    const revoke = await call('POST', 'grants/01JD0000000000000000000000/revoke', { as });
    expect(revoke).toMatchObject({ status, kind });
  });

  test.each<[string, string, RegExp?]>([
    ['limit=0', 'limit', /^a whole number from 1 to 1000$/],
    ['limit=1001', 'limit'],
    ['limit=x', 'limit'],
    ['state=gone', 'state'],
    ['state=active&state=revoked', 'state'],
    ['unused_for=long', 'unused_for'],
    ['organization=%00', 'organization'],
    ['__proto__=1', '__proto__'],
  ])(
    'the query %j is refused with its parameter and what is allowed',
    async (query, parameter, allowed = /\w/) => {
      const { status, kind, json } = await call('GET', `grants?${query}`);
      expect([status, kind]).toEqual([400, 'invalid-parameters']);
      expect(json['errors']).toEqual([
        { parameter, code: expect.any(String) as string, allowed: expect.stringMatching(allowed) as string },
      ]);
    },
  );

  test.each<[string, Sent, number]>([
    ['an unknown field', { body: { reasons: 'x' } }, 400],
    ['a reason that is no text', { body: { reason: 5 } }, 400],
    ['a reason with a control character', { body: { reason: 'a\u0000b' } }, 400],
    ['a list', { body: [] }, 400],
    ['an If-Match that no ETag has the syntax of', { headers: { 'if-match': 'W/x' } }, 400],
    ['an If-Match that is no ETag of ours', { headers: { 'if-match': 'W/"x"' } }, 412],
    ['text', { body: 'reason', headers: { 'content-type': 'text/plain' } }, 415],
  ])('a body with %s changes nothing', async (_case, sent, status) => {
    const [grant] = await items('state=active');
    const answer = await call('POST', `grants/${String(grant?.['grant_id'])}/revoke`, sent);
    expect(answer.status).toBe(status);
    expect((await items('state=active'))[0]).toEqual(grant);
  });

  test('AM-15: every task is there, closed without a token, and refuses unknown ids and fields', async () => {
    const nothing = '01JD0000000000000000000000';
    for (const [template, operations] of Object.entries(operatorApiPaths))
      for (const method of Object.keys(operations) as readonly ApiMethod[]) {
        const path = template.replace('/operator/api/', '').replaceAll(/\{\w+\}/g, nothing);
        const wrong = method === 'GET' ? [`${path}?unknown=1`, {}] : [path, { body: { unknown: 1 } }];
        const asked = [path, await call(method, path, { as: {}, body: method === 'GET' ? undefined : {} })];
        expect(asked).toMatchObject([path, { status: 401, kind: 'sign-in-required' }]);
        const isShow = template.endsWith('}') && method === 'GET';
        const refused = await (isShow ? call(method, path) : call(method, ...(wrong as [string, Sent])));
        expect([path, refused.status]).toEqual([path, isShow ? 404 : 400]);
      }
  });

  test('a method that is not offered is answered with those that are', async () => {
    const answer = await call('PUT', 'grants', { body: {} });
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});

test('PG-08: an operator says whether an add-on is verified, also in the words of the command line (FX-79); nothing else is accepted', async () => {
  const path = `addons/${scene.clientId}`;
  const send = (verified: unknown) => call('PATCH', path, { body: { verified } });
  expect((await call('GET', path)).json).toMatchObject({ verified: false });
  for (const [sent, verified] of [
    [true, true],
    ['false', false],
    ['yes', true],
    ['no', false],
    ['true', true],
  ])
    expect(await send(sent)).toMatchObject({ status: 200, json: { verified } });
  for (const wrong of [null, 'Yes', 1])
    expect(await send(wrong)).toMatchObject({
      status: 400,
      json: { errors: [{ parameter: 'verified', allowed: 'true or false' }] },
    });
  expect((await call('GET', path)).json).toMatchObject({ verified: true });
});

test('AM-11: the sessions of a user are listed with the user, page by page', async () => {
  const { value } = (await http.commands.signIn({
    email: 'olive@example.com',
    password,
    from: { network: '192.0.2.0/24', around: {}, device: null, interaction: 'i1' },
  })) as { readonly value: { readonly session: { readonly sessionId: string } } };
  const listed = await call('GET', `users/${operator}/sessions?limit=1`);
  expect(listed).toMatchObject({ status: 200, json: { user_id: operator, next: null } });
  expect(listed.json['items']).toMatchObject([{ session_id: value.session.sessionId }]);
  const rest = await call('GET', `users/${operator}/sessions?after=${value.session.sessionId}`);
  expect(rest.json['items']).toEqual([]);
  expect((await call('GET', 'users/x/sessions')).status).toBe(404);
  expect((await call('GET', `users/${operator}/sessions?limit=0`)).status).toBe(400);
});

test('AM-12: a logo has at most 64 kB, and one that is larger is refused by its name', async () => {
  const png = (bytes: number) =>
    Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(bytes - 8)]).toString('base64');
  const send = (bytes: number) =>
    call('PATCH', `addons/${scene.clientId}`, { body: { logo: png(bytes), name: 'Gate' } });
  expect(await send(65_536)).toMatchObject({ status: 200, json: { has_logo: true, name: 'Gate' } });
  for (const bytes of [65_537, 150_000]) {
    const large = await send(bytes);
    expect([large.status, JSON.stringify(large.json)]).toEqual([
      400,
      expect.stringContaining('"parameter":"logo"'),
    ]);
  }
  expect((await send(300_000)).status).toBe(413);
  const long = await call('POST', `addons/${scene.clientId}/suspend`, {
    body: { reason: 'x'.repeat(70_000) },
  });
  expect(long.status).toBe(413);
});

test('AM-12: a resource that the add-on may ask for is known by the name of its resource server', async () => {
  const lamps = { confidential: true, grantTypes: [], audiences: ['https://lamps.example/'] };
  const { clientId: server } = await setScene(http, lamps);
  const allowed = await call('PATCH', `addons/${scene.clientId}`, {
    body: { add_audience: ['https://lamps.example/', 'https://other.example/'] },
  });
  expect(allowed.json).toMatchObject({
    allowed_audiences: ['https://lamps.example/', 'https://other.example/'],
  });
  const { events } = await http.store.read(addonStream(scene.clientId));
  expect(events.slice(-2).map(({ event }) => event.data)).toMatchObject([
    { resourceServerId: server },
    { resourceServerId: null },
  ]);
});

test('FX-36: nobody disables the account that they are acting with, unless forced', async () => {
  const opal = await userWith('opal', 'operator');
  const as = await tokenOf(http, opal);
  const refused = await call('POST', `users/${opal}/disable`, { as, body: {} });
  expect(refused).toMatchObject({ status: 409, json: { code: 'own-account' } });
  expect((await call('GET', `users/${opal}`)).json).toMatchObject({ state: 'enabled' });
  const forced = await call('POST', `users/${opal}/disable`, { as, body: { force: true } });
  expect(forced).toMatchObject({ status: 200, json: { state: 'disabled' } });
});

test('FX-12: the value of an operator’s session cookie is no bearer token at any address', async () => {
  const browser = await signedIn(http, { email: 'olive@example.com' });
  const cookie = [...browser.cookies.values()].find((value) => /^[0-9A-Z]{26}\./.test(value)) ?? '';
  expect(cookie).not.toBe('');
  const statusWith = async (method: Method, url: string, token: string) =>
    (await http.app.inject({ method, url, headers: { authorization: `Bearer ${token}` } })).statusCode;
  const operations = (await offeredBy(http.app)).map(({ method, template }) => ({
    method,
    url: template.replaceAll(/\{\w+\}/g, scene.organizationId),
  }));
  const answers = await pMap(
    operations,
    async ({ method, url }) => {
      const [unknown, own] = [
        await statusWith(method, url, 'nonsense'),
        await statusWith(method, url, cookie),
      ];
      return { method, url, unknown, own };
    },
    { concurrency: 16 },
  );
  // Whether the service is ready may change between the two.
  const asked = answers.filter(({ url }) => url !== '/health/ready');
  expect(asked.filter(({ unknown, own }) => own !== unknown)).toEqual([]);
  expect(answers.filter(({ own }) => own === 401).length).toBeGreaterThan(30);
});

test.each(entities.map((about) => ({ about, plural: about.plural })))(
  'FX-35: a malformed id of $plural is answered like an unknown one, with where to look',
  async ({ about }) => {
    const browser = await signedIn(http, { email: 'olive@example.com' });
    const path = about.plural;
    for (const id of ['01JD0000000000000000000000', 'ada@example.com', 'Ada%20L%C3%B6we', '%24%24streams']) {
      const shown = await call('GET', `${path}/${id}`);
      expect([id, shown.status, shown.kind]).toEqual([id, 404, `${about.name}-unknown`]);
      expect(shown.json['detail']).toContain(`/operator/api/${path}`);
      const page = await browser.get(`/operator/${path}/${id}`);
      expect([page.statusCode, page.body.includes(`href="/operator/${path}"`)]).toEqual([404, true]);
      for (const task of about.tasks.filter(
        ({ input, isProperty }) => !isProperty && input.safeParse({}).success,
      )) {
        const { name } = task;
        const to = placeOf(about, task)
          .url.replace('/operator/api/', '')
          .replace(/\{\w+\}/, id);
        const done = await call('POST', to, { body: {} });
        expect([name, id, done.status, done.kind]).toEqual([name, id, 404, `${about.name}-unknown`]);
      }
    }
  },
);
