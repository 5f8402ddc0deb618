import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describedOperations } from '../../support/documents/described-operations.ts';
import { pagesOf } from '../../support/documents/registered-routes.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  createUser,
  obtainTokens,
  publish,
  setScene,
  signedIn,
} from '../../support/scenes/http-scene.ts';
import { tokenOf } from '../../support/scenes/operator-api.ts';
import { testBrowser } from '../../support/scenes/pages.ts';
import { ownToken } from '../../support/scenes/told-addons.ts';

/** Bytes that are no UTF-8, and text that the database cannot hold, sent by somebody who may do everything. */

const http = await startHttpApp();
afterAll(() => http.close());
const routes = [
  ...(await describedOperations(http.app)).map(({ method, template, operation }) => ({
    method,
    template,
    types: Object.keys(operation.requestBody?.content ?? {}),
  })),
  ...(await pagesOf(http.app)).map(({ method, template }) => ({
    method,
    template,
    types: method === 'POST' ? ['application/x-www-form-urlencoded'] : [],
  })),
].filter(({ method }) => method !== 'OPTIONS');
type Route = (typeof routes)[number];

let cookies: Record<string, string>;
let bearers: { readonly operator: string; readonly addon: string; readonly own: string };
const ids: Record<string, string> = {};
beforeAll(async () => {
  const scene = await setScene(http);
  const own = (await setScene(http, { confidential: true })).clientId;
  await activate(http, scene);
  const { organizationId } = scene;
  const email = 'ada.all@example.com';
  const roles = ['operator', 'auditor'] as const;
  const userId = await createUser(http, email, [organizationId], { roles, auditorOf: [organizationId] });
  await publish(http, own, userId);
  bearers = {
    operator: (await tokenOf(http, userId)).authorization,
    addon: `Bearer ${(await obtainTokens(http, scene, { subject: 'user' })).access_token}`,
    own: `Bearer ${await ownToken(http, own, 'ssf.read', 'ssf.manage')}`,
  };
  cookies = Object.fromEntries((await signedIn(http, { email })).cookies);
  Object.assign(ids, { organization_id: organizationId, client_id: own, user_id: userId });
  await http.settle();
});

const bearerFor = (template: string) => {
  if (template.startsWith('/ssf')) return bearers.own;
  return /^\/(profiles|reservations|access-rights)/.test(template) ? bearers.addon : bearers.operator;
};
const isApi = (template: string) =>
  /\/api\/|^\/(ssf|organizations|oauth|audit\/organizations)\b/.test(template);
const unknown = '01JD0000000000000000000000';
const addressOf = (template: string, wrong?: string, value = '') =>
  template.replace(/\{(\w+)\}/g, (_all, name: string) => (name === wrong ? value : (ids[name] ?? unknown)));

const send = ({ method, template }: Route, url: string, type?: string, payload?: Buffer) =>
  http.app.inject({
    method,
    url,
    cookies,
    headers: {
      ...(isApi(template) && { authorization: bearerFor(template) }),
      ...(type !== undefined && { 'content-type': type }),
    },
    ...(payload && { payload }),
  });

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const noJson = [
  latin1('{"name":"Caf\xe9"}'),
  Buffer.from('{"name":"x"}', 'utf16le'),
  Buffer.from('\uFEFF{"name":"x"}', 'utf16le'),
];
const others: Readonly<Record<string, readonly Buffer[]>> = {
  'application/json': noJson,
  'application/merge-patch+json': noJson,
  'application/x-www-form-urlencoded': [
    latin1('name=Caf\xe9'),
    latin1('name=Caf%E9'),
    Buffer.from('\uFEFFname=x', 'utf16le'),
  ],
};

test('FX-76: a body in another encoding than UTF-8 is 400 on every endpoint', async () => {
  const wrong: unknown[] = [];
  for (const route of routes)
    for (const type of route.types)
      for (const body of others[type] ?? []) {
        const { statusCode } = await send(route, addressOf(route.template), type, body);
        if (statusCode !== 400)
          wrong.push([route.method, route.template, body.toString('latin1'), statusCode]);
      }
  expect(wrong).toEqual([]);
});

test('FX-76: NUL in an id is an unknown id, on every endpoint', async () => {
  const wrong: unknown[] = [];
  for (const route of routes)
    for (const [, name = ''] of route.template.matchAll(/\{(\w+)\}/g))
      for (const value of ['%00', `${unknown}%00`]) {
        const { statusCode } = await send(route, addressOf(route.template, name, value));
        if (statusCode >= 500) wrong.push([route.method, route.template, name, statusCode]);
        else if (route.method === 'GET' && route.template.startsWith('/operator') && statusCode !== 404)
          wrong.push([route.method, route.template, name, statusCode]);
      }
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
      const route: Route = { method: 'GET', template, types: [] };
      const answer = await send(route, `${addressOf(template)}?after=${after}`);
      const names = answer.json().errors?.map(({ parameter }: { parameter: string }) => parameter);
      expect([after, answer.statusCode, names]).toEqual([after, 400, ['after']]);
    }
  });

  test('at every list of operators: those above are all of one form', () => {
    expect(operatorLists.length).toBeGreaterThan(8);
  });
});

/** Not those of Shared Signals, which name a stream first (test/http/signals). */
const withJson = routes.filter(
  ({ template, types }) => types.includes('application/json') && !template.startsWith('/ssf/'),
);

test('FX-76: NUL and half a character in a field are 400, and named', async () => {
  const wrong: unknown[] = [];
  const document = (await http.app.inject('/openapi.json')).json();
  type Schema = { readonly $ref?: string; readonly properties?: object };
  for (const { method, template, types } of withJson) {
    const given = document.paths[template][method.toLowerCase()].requestBody.content['application/json']
      .schema as Schema;
    const schema = given.$ref
      ? (document.components.schemas[given.$ref.split('/').at(-1) ?? ''] as Schema)
      : given;
    for (const name of Object.keys(schema.properties ?? {}))
      for (const value of ['a\u0000b', 'a\uD800b']) {
        const payload = Buffer.from(JSON.stringify({ [name]: value }));
        const answer = await send({ method, template, types }, addressOf(template), types[0], payload);
        if (answer.statusCode !== 400 || !answer.body.includes(`"${name}`))
          wrong.push([method, template, name, answer.statusCode, answer.body.slice(0, 200)]);
      }
  }
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
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'email=a%00@b.example',
  });
  expect(asked.statusCode).toBeLessThan(500);
});
