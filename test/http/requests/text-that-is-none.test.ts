import pMap from 'p-map';
import { describe, expect, test } from 'vitest';
import { testBrowser } from '../../support/scenes/pages.ts';
import { formType, inTurn, startEveryRoute, type Route } from '../../support/scenes/every-route.ts';

/** Bytes that are no UTF-8, and text that the database cannot hold, sent by somebody who may do everything. */

const { http, routes, ids, send } = await startEveryRoute();

const unknown = '01JD0000000000000000000000';
const addressOf = (template: string, wrong?: string, value = '') =>
  template.replace(/\{(\w+)\}/g, (_all, name: string) => (name === wrong ? value : (ids[name] ?? unknown)));

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const noJson = [
  latin1('{"name":"Caf\xe9"}'),
  Buffer.from('{"name":"x"}', 'utf16le'),
  Buffer.from('\uFEFF{"name":"x"}', 'utf16le'),
];
const others: Readonly<Record<string, readonly Buffer[]>> = {
  'application/json': noJson,
  'application/merge-patch+json': noJson,
  [formType]: [latin1('name=Caf\xe9'), latin1('name=Caf%E9'), Buffer.from('\uFEFFname=x', 'utf16le')],
};

/** Several at once, because statements are then sent together. @returns the routes with a wrong answer */
const wrongOf = async <T>(all: readonly T[], check: (one: T, turn: number) => Promise<unknown>) =>
  (await pMap(all.entries(), ([turn, one]) => check(one, turn), { concurrency: 16 })).filter(Boolean);

test('FX-76: a body in another encoding than UTF-8 is 400 on every endpoint', async () => {
  const withBody = routes.flatMap((route) =>
    route.types.filter((type) => type in others).map((type) => ({ ...route, type })),
  );
  const wrong = await wrongOf(withBody, async ({ type, ...route }, turn) => {
    const body = inTurn(others[type] ?? [], turn);
    const { statusCode } = await send(route, { url: addressOf(route.template), type, body });
    return statusCode !== 400 && [route.method, route.template, body.toString('latin1'), statusCode];
  });
  expect(wrong).toEqual([]);
});

test('FX-76: NUL in an id is an unknown id, on every endpoint', async () => {
  const withIds = routes.flatMap((route) =>
    [...route.template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({ ...route, name })),
  );
  const wrong = await wrongOf(withIds, async ({ name, ...route }, turn) => {
    const { method, template } = route;
    const url = addressOf(template, name, inTurn(['%00', `${unknown}%00`], turn));
    const { statusCode } = await send(route, { url });
    const isShown = method === 'GET' && template.startsWith('/operator');
    return (isShown ? statusCode !== 404 : statusCode >= 500) && [method, template, name, statusCode];
  });
  expect(wrong).toEqual([]);
});

const operatorLists = routes.filter(
  ({ method, template }) =>
    method === 'GET' && /^\/operator\/api\/[a-z]+(\/\{\w+\}\/[a-z]+)?$/.test(template),
);

describe('FX-76: `after` that no answer gave, the empty one included, is 400', () => {
  test.each([
    '/operator/api/organizations',
    '/operator/api/users',
    '/operator/api/addons',
    '/operator/api/publishers',
    '/operator/api/grants',
    '/operator/api/signals',
    '/operator/api/organizations/{organization_id}/administrators',
    '/operator/api/organizations/{organization_id}/addons',
    '/operator/api/organizations/{organization_id}/receipts',
    '/operator/api/addons/{client_id}/secrets',
    '/operator/api/users/{user_id}/tokens',
    '/publisher/api/addons',
    '/publisher/api/addons/{client_id}/organizations',
  ])('at %s', async (template) => {
    for (const after of ['', 'nonsense', '%00', 'name.QQ.x', 'a%00b']) {
      const route = routes.find((one) => one.method === 'GET' && one.template === template) as Route;
      const answer = await send(route, { url: `${addressOf(template)}?after=${after}` });
      const names = answer.json().errors?.map(({ parameter }: { parameter: string }) => parameter);
      expect([after, answer.statusCode, names]).toEqual([after, 400, ['after']]);
    }
  });

  test('at every list of operators: those above are all of one form', () => {
    expect(operatorLists.length).toBeGreaterThan(8);
  });
});

test('FX-76: NUL and half a character in a field are 400, and named', async () => {
  const document = (await http.app.inject('/openapi.json')).json();
  type Schema = { readonly $ref?: string; readonly properties?: object };
  // Not those of Shared Signals, which name a stream first (test/http/signals).
  const fields = routes
    .filter(({ template, types }) => types.includes('application/json') && !template.startsWith('/ssf/'))
    .flatMap((route) => {
      const operation = document.paths[route.template][route.method.toLowerCase()];
      const given = operation.requestBody.content['application/json'].schema as Schema;
      const schema = given.$ref
        ? (document.components.schemas[given.$ref.split('/').at(-1) ?? ''] as Schema)
        : given;
      return Object.keys(schema.properties ?? {}).map((name) => ({ ...route, name }));
    });
  const wrong = await wrongOf(fields, async ({ name, ...route }, turn) => {
    const body = JSON.stringify({ [name]: inTurn(['a\u0000b', 'a\uD800b'], turn) });
    const answer = await send(route, { url: addressOf(route.template), type: 'application/json', body });
    const isNamed = answer.statusCode === 400 && answer.body.includes(`"${name}`);
    return !isNamed && [route.method, route.template, name, answer.statusCode, answer.body.slice(0, 200)];
  });
  expect(wrong).toEqual([]);
});

test('FX-76: what a stranger types with NUL is no fault of ours', async () => {
  const browser = testBrowser(http.app);
  const page = await browser.get('/sign-in');
  const sent = await browser.press(page, 'Sign in', { email: 'a\u0000@b.example', password: 'a\u0000' });
  expect(sent.statusCode).toBe(401);
  const asked = await http.app.inject({
    method: 'POST',
    url: '/forgot-password',
    headers: { 'content-type': formType },
    payload: 'email=a%00@b.example',
  });
  expect(asked.statusCode).toBeLessThan(500);
});
