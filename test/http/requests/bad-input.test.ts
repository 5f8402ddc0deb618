import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Method } from '../../../src/http/openapi/describe.ts';
import { describedOperations } from '../../support/documents/described-operations.ts';
import { pagesOf } from '../../support/documents/registered-routes.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { activate, createUser, obtainTokens, setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { tokenOf } from '../../support/scenes/operator-api.ts';
import { ownToken } from '../../support/scenes/told-addons.ts';
import { cookieName } from '../../../src/http/session/cookies.ts';

/** An operation of the service, with what lets a request get as far as its input. */
type Route = {
  readonly method: Exclude<Method, 'OPTIONS'>;
  readonly url: string;
  readonly as: 'nobody' | 'person' | 'operator' | 'addon' | 'own addon';
  readonly takes: 'query' | 'form' | 'json' | 'lines';
};

const http = await startHttpApp();
let cookies: Record<string, string>;
let bearers: Partial<Record<Route['as'], string>>;
const ids = { organization_id: '', addon_id: '' };
beforeAll(async () => {
  const scene = await setScene(http);
  const own = (await setScene(http, { confidential: true })).clientId;
  await activate(http, scene);
  const { organizationId, clientId } = scene;
  const email = 'ada.all@example.com';
  const roles = ['operator', 'auditor'] as const;
  const userId = await createUser(http, email, [organizationId], { roles, auditorOf: [organizationId] });
  bearers = {
    operator: (await tokenOf(http, userId)).authorization,
    addon: `Bearer ${(await obtainTokens(http, scene, { subject: 'user' })).access_token}`,
    'own addon': `Bearer ${await ownToken(http, own, 'ssf.read', 'ssf.manage')}`,
  };
  cookies = Object.fromEntries((await signedIn(http, { email })).cookies);
  Object.assign(ids, { organization_id: organizationId, addon_id: clientId });
});
afterAll(() => http.close());

const whoCalls = (security: readonly object[]): Route['as'] => {
  const schemes = security.flatMap(Object.keys);
  if (schemes.includes('session')) return 'person';
  if (schemes.includes('administratorToken')) return 'operator';
  if (schemes.includes('clientCredentials')) return 'own addon';
  return schemes.includes('oauth2') ? 'addon' : 'nobody';
};

const forms = 'application/x-www-form-urlencoded';
const lines = 'application/x-ndjson';
const taken = (content: object): Route['takes'] =>
  forms in content ? 'form' : lines in content ? 'lines' : 'json';
/** The type of a body, and a size in bytes that is too large. */
const bodies = {
  form: { type: forms, tooLarge: 2_000_000 },
  json: { type: 'application/json', tooLarge: 2_000_000 },
  lines: { type: lines, tooLarge: 2 * 1024 * 1024 + 1 },
};
/** Pages that nobody has to be signed in for. */
const isForAll = (url: string) =>
  /^\/($|sign-|choose-password|\.well-known|oauth\/(?!authorize\/decision))/.test(url);

const routes: readonly Route[] = [
  ...(await describedOperations(http.app)).map(
    ({ method, template, operation: { security, requestBody } }) => {
      const takes = requestBody ? taken(requestBody.content) : 'query';
      return { method, url: template, as: whoCalls(security), takes } as const;
    },
  ),
  ...(await pagesOf(http.app)).map(({ method, template }) => {
    const takes = method === 'POST' ? 'form' : 'query';
    const isOpen = isForAll(template) && !(method === 'POST' && template === '/');
    return { method, url: template, as: isOpen ? 'nobody' : 'person', takes } as const;
  }),
].filter((route): route is Route => route.method !== 'OPTIONS');
const named = (where: (route: Route) => boolean = () => true) =>
  routes.filter(where).map((route) => [`${route.method} ${route.url}`, route] as const);

type Sent = {
  readonly query?: string;
  readonly type?: string;
  readonly body?: string;
  readonly url?: string;
};

/** Operators are sent to what does not exist: what they may do there is done without another question. */
const addressOf = (url: string, as: Route['as']) =>
  url.replace(/\{(\w+)\}/g, (_, name: string) =>
    as !== 'operator' && name in ids ? ids[name as keyof typeof ids] : '01JD0000000000000000000000',
  );

const send = ({ method, url, as }: Route, { query = '', type, body, url: other }: Sent) =>
  http.app.inject({
    method,
    url: addressOf(other ?? url, as) + query,
    ...(as === 'person' && { cookies }),
    headers: {
      ...(bearers[as] !== undefined && { authorization: bearers[as] }),
      ...(type !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { payload: body }),
  });

/** The title of a page with an error says so: that is no stack. */
const showsStack = (body: string) =>
  /\bat .+\.(ts|js|mjs):\d+|node_modules|(?<!<title>)Error:|\bFST_/.test(body);
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
      const { type, tooLarge } = bodies[route.takes as keyof typeof bodies];
      const answer = await send(route, { type, body: `a=${'x'.repeat(tooLarge)}` });
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

  test.each(named(({ takes }) => takes === 'lines'))(
    '%s refuses a body that is no lines',
    async (_name, route) => {
      for (const type of ['application/json', 'text/xml', forms, 'multipart/form-data; boundary=x', 'x']) {
        const answer = await send(route, { type, body: '{"a":' });
        const problem = answer.json<{ type: string }>().type.replace(/.*\//, '');
        expect([type, answer.statusCode, problem]).toEqual([type, 415, 'unsupported-media-type']);
      }
    },
  );

  test.each(named(({ url }) => url.startsWith('/organizations')))(
    '%s names an id or a parameter that cannot be',
    async (_name, route) => {
      for (const bad of ['x', "';--", 'a'.repeat(300), '%00', '..%2f..', '%F0%9F%9A%AA', '__proto__']) {
        const answer = await send(route, { url: route.url.replace('{organization_id}', bad) });
        const parameters = answer.json().errors?.map(({ parameter }: { parameter: string }) => parameter);
        expect([bad, answer.statusCode, parameters]).toEqual([bad, 400, ['organization_id']]);
      }
      const answer = await send(route, { query: '?verbose=1&__proto__=2' });
      const parameters = answer.json().errors.map(({ parameter }: { parameter: string }) => parameter);
      expect(parameters).toEqual(['verbose', '__proto__']);
    },
  );

  test.each(named())('%s survives an address that cannot be decoded', async (_name, route) => {
    const start = route.url === '/' ? '' : route.url;
    for (const url of [`${start}/%E0%A4%A`, `${start}/%`, `/${'a'.repeat(3000)}`, `${start}/a//`])
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
      const { takes } = route;
      const sent = {
        query: `?${query}`,
        ...((takes === 'form' || takes === 'lines') && { body, type: bodies[takes].type }),
      };
      return !/^5|stack/.test(kind(await send(route, sent)));
    };
    const property = fc.asyncProperty(input, input, survives);
    expect((await fc.check(property, { numRuns: 25 })).counterexample).toBeNull();
  });

  test('cookies and Authorization of any shape are nobody', async () => {
    const text = fc.string({ maxLength: 3000 }).map((value) => value.replace(/[^\x20-\x7e]/g, '~'));
    const names = (['session', 'pending'] as const).map((name) =>
      cookieName({ baseUrl: http.baseUrl, secureCookies: false }, name),
    );
    const bearers = text.map((value) => `Bearer ${value}`);
    const urls = fc.constantFrom('/profiles', '/admin', '/sign-in', '/organizations/x/addons');
    const survives = async (cookie: string, authorization: string, url: string) => {
      const headers = { cookie: names.map((name) => `${name}=${cookie}`).join('; '), authorization };
      const answer = await http.app.inject({ url, headers });
      return [200, 303, 401].includes(answer.statusCode) && !showsStack(answer.body);
    };
    const property = fc.asyncProperty(text, fc.oneof(text, bearers), urls, survives);
    expect(await fc.check(property)).toMatchObject({ failed: false });
  });

  test('nothing of all this was a fault of ours, nor changed anything', async () => {
    const ofProviders = 'a logout token was refused'; // operators watch who sends them
    const faults = http.lines.filter(
      ({ level, message }) => /error|warn/.test(level) && message !== ofProviders,
    );
    expect(faults).toEqual([]);
    expect((await http.commands.showActivation(ids.organization_id, ids.addon_id)).epoch).toBe(1);
  });
});
