import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHttpApp, type HttpApp } from '../support/http-app.ts';
import { activate, obtainTokens, password, setScene } from '../support/http-scene.ts';
import { testBrowser } from '../support/pages.ts';

/** Every route that takes input, with what lets a request get as far as that. */
type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly as: 'nobody' | 'administrator' | 'addon';
  readonly takes: 'query' | 'form' | 'json';
};

let http: HttpApp;
let cookies: Record<string, string>;
let token: string;
const ids = { organization: '', addon: '' };
beforeAll(async () => {
  http = await startHttpApp();
  const scene = await setScene(http);
  await activate(http, scene);
  const browser = testBrowser(http.app);
  await browser.signIn(scene.email, password);
  token = (await obtainTokens(http, scene, { browser, subject: 'user' })).access_token;
  cookies = Object.fromEntries(browser.cookies);
  ids.organization = scene.organizationId;
  ids.addon = scene.clientId;
});
afterAll(() => http.close());

const addons = '/organizations/{organization}/addons';
const activation = `${addons}/{addon}/activation`;
const routes: readonly Route[] = [
  { method: 'GET', url: '/oauth/authorize', as: 'administrator', takes: 'query' },
  { method: 'POST', url: '/oauth/authorize', as: 'administrator', takes: 'form' },
  { method: 'GET', url: '/oauth/authorize/continue', as: 'administrator', takes: 'query' },
  { method: 'POST', url: '/oauth/authorize/decision', as: 'administrator', takes: 'form' },
  { method: 'POST', url: '/oauth/authorize/another-user', as: 'administrator', takes: 'form' },
  { method: 'GET', url: '/account', as: 'administrator', takes: 'query' },
  { method: 'GET', url: '/account/addons/{addon}/withdraw', as: 'administrator', takes: 'query' },
  { method: 'POST', url: '/account/addons/{addon}/withdraw', as: 'administrator', takes: 'form' },
  { method: 'GET', url: '/account/tokens/new', as: 'administrator', takes: 'query' },
  { method: 'POST', url: '/account/tokens/new', as: 'administrator', takes: 'form' },
  { method: 'POST', url: '/account/tokens/{addon}/revoke', as: 'administrator', takes: 'form' },
  { method: 'POST', url: '/oauth/token', as: 'nobody', takes: 'form' },
  { method: 'GET', url: '/access-rights', as: 'addon', takes: 'query' },
  { method: 'GET', url: '/profiles', as: 'addon', takes: 'query' },
  { method: 'GET', url: '/reservations', as: 'addon', takes: 'query' },
  { method: 'GET', url: '/sign-in', as: 'nobody', takes: 'query' },
  { method: 'POST', url: '/sign-in', as: 'nobody', takes: 'form' },
  { method: 'POST', url: '/sign-out', as: 'administrator', takes: 'form' },
  { method: 'GET', url: addons, as: 'administrator', takes: 'query' },
  { method: 'GET', url: activation, as: 'administrator', takes: 'query' },
  { method: 'PUT', url: activation, as: 'administrator', takes: 'json' },
  { method: 'DELETE', url: activation, as: 'administrator', takes: 'json' },
  { method: 'GET', url: '/admin/organizations/{organization}', as: 'administrator', takes: 'query' },
  { method: 'POST', url: `/admin${addons}/{addon}/activate`, as: 'administrator', takes: 'form' },
  { method: 'POST', url: `/admin${addons}/{addon}/deactivate`, as: 'administrator', takes: 'form' },
];
const named = (where: (route: Route) => boolean = () => true) =>
  routes.filter(where).map((route) => [`${route.method} ${route.url}`, route] as const);

type Sent = {
  readonly query?: string;
  readonly type?: string;
  readonly body?: string;
  readonly url?: string;
};

const send = ({ method, url, as }: Route, { query = '', type, body, url: other }: Sent) =>
  http.app.inject({
    method,
    url: (other ?? url).replace('{organization}', ids.organization).replace('{addon}', ids.addon) + query,
    ...(as === 'administrator' && { cookies }),
    headers: {
      ...(as === 'addon' && { authorization: `Bearer ${token}` }),
      ...(type !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { payload: body }),
  });

const form = 'application/x-www-form-urlencoded';
const showsStack = (body: string) => /\bat .+\.(ts|js|mjs):\d+|node_modules|Error:|\bFST_/.test(body);
/** What a refusal is like from outside: its hundred, and whether it shows what it should not. */
const kind = ({ statusCode, body }: { statusCode: number; body: string }) =>
  `${Math.floor(statusCode / 100)}xx${showsStack(body) ? ' with a stack' : ''}`;

describe('every route', () => {
  test.each(named(({ takes }) => takes === 'form'))(
    '%s refuses a body that is no form',
    async (_name, route) => {
      for (const type of ['application/json', 'text/xml', 'multipart/form-data; boundary=x', 'x', '*/*'])
        expect([type, kind(await send(route, { type, body: '{"a":' }))]).toEqual([type, '4xx']);
    },
  );

  test.each(named(({ takes }) => takes !== 'query'))(
    '%s refuses a body that is too large',
    async (_name, route) => {
      const type = route.takes === 'json' ? 'application/json' : form;
      const answer = await send(route, { type, body: `a=${'x'.repeat(100_000)}` });
      expect([answer.statusCode, kind(answer)]).toEqual([413, '4xx']);
    },
  );

  test.each(named(({ takes }) => takes === 'json'))(
    '%s refuses JSON that is none, and other types',
    async (_name, route) => {
      const type = (answer: { json(): { type: string } }) => answer.json().type.replace(/.*\//, '');
      const malformed = await send(route, { type: 'application/json', body: '{"a":' });
      expect([malformed.statusCode, type(malformed)]).toEqual([400, 'malformed-request']);
      const other = await send(route, { type: 'text/xml', body: '<a/>' });
      expect([other.statusCode, type(other)]).toEqual([415, 'unsupported-media-type']);
    },
  );

  test.each(named(({ url }) => url.startsWith('/organizations')))(
    '%s names an id or a parameter that cannot be',
    async (_name, route) => {
      for (const bad of ['x', "';--", 'a'.repeat(300), '%00', '..%2f..', '%F0%9F%9A%AA', '__proto__']) {
        const answer = await send(route, { url: route.url.replace('{organization}', bad) });
        const parameters = answer.json().errors?.map(({ parameter }: { parameter: string }) => parameter);
        expect([bad, answer.statusCode, parameters]).toEqual([bad, 400, ['organization_id']]);
      }
      const answer = await send(route, { query: '?verbose=1&__proto__=2' });
      const parameters = answer.json().errors.map(({ parameter }: { parameter: string }) => parameter);
      expect(parameters).toEqual(['verbose', '__proto__']);
    },
  );

  test.each(named())('%s survives an address that cannot be decoded', async (_name, route) => {
    for (const url of [`${route.url}/%E0%A4%A`, `${route.url}%`, `/${'a'.repeat(3000)}`, `${route.url}//`])
      expect([url.slice(0, 80), kind(await send(route, { url }))]).toEqual([url.slice(0, 80), '4xx']);
  });
});

/** Names that routes know, and names that trip parsers. */
const knownNames =
  'client_id redirect_uri response_type state scope code_challenge prompt max_age resource grant_type code ' +
  'code_verifier refresh_token client_secret page per_page subject csrf email password interaction decision ' +
  'return_to problem __proto__ constructor a[] a[b] toString';
const names = fc.constantFrom('', ...knownNames.split(' '));
const values = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e9',
    'null',
    '[object Object]',
    '\u0000',
    '\u202E',
    "' or 1=1 --",
    '\uFFFD',
  ),
  fc.constantFrom(
    'authorization_code',
    'refresh_token',
    'code',
    'S256',
    'approve',
    'deny',
    'user',
    'x'.repeat(5000),
  ),
  fc.constantFrom('mkt_at_AAAA', 'mkt_rt_AAAA', 'mkt_code_AAAA', 'eyJhIjoxfQ.AAAA', '..', '//', 'toString'),
  fc.string(),
);
const encoded = fc
  .array(fc.tuple(names, values), { maxLength: 8 })
  .map((list) =>
    list.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&'),
  );
const raw = fc.uint8Array({ maxLength: 200 }).map((bytes) =>
  Buffer.from(bytes)
    .toString('latin1')
    .replace(/[^\x21-\x7e]/g, '%'),
);
const input = fc.oneof(encoded, raw);

describe('whatever is sent', () => {
  test.each(named())('%s never answers 500 and never shows a stack', async (_name, route) => {
    const survives = async (query: string, body: string) => {
      const sent = route.takes === 'form' ? { query: `?${query}`, body, type: form } : { query: `?${query}` };
      return !/^5|stack/.test(kind(await send(route, sent)));
    };
    const property = fc.asyncProperty(input, input, survives);
    expect(await fc.check(property, { numRuns: 60 })).toMatchObject({ failed: false });
  });

  test('cookies and Authorization of any shape are nobody', async () => {
    const text = fc.string({ maxLength: 3000 }).map((value) => value.replace(/[^\x20-\x7e]/g, '~'));
    const bearers = text.map((value) => `Bearer ${value}`);
    const urls = fc.constantFrom('/profiles', '/admin', '/sign-in', '/organizations/x/addons');
    const survives = async (cookie: string, authorization: string, url: string) => {
      const headers = { cookie: `grantbook_session=${cookie}; grantbook_pending=${cookie}`, authorization };
      const answer = await http.app.inject({ url, headers });
      return [200, 303, 401].includes(answer.statusCode) && !showsStack(answer.body);
    };
    const property = fc.asyncProperty(text, fc.oneof(text, bearers), urls, survives);
    expect(await fc.check(property)).toMatchObject({ failed: false });
  });

  test('nothing of all this was a fault of ours, nor changed anything', async () => {
    expect(http.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
    expect((await http.commands.showActivation(ids.organization, ids.addon)).epoch).toBe(1);
  });
});
