import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import pMap from 'p-map';
import { describe, expect, test } from 'vitest';
import { cookieName } from '../../../src/http/session/cookies.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { formType, inTurn, startEveryRoute, type Route } from '../../support/scenes/every-route.ts';
import { seed } from '../../support/seed.ts';
import { isRelease } from '../../support/tiers.ts';

const { http, routes, scene, send: sendTo } = await startEveryRoute();

const jsonType = 'application/json';
const linesType = 'application/x-ndjson';
const taking = (...types: readonly string[]) =>
  routes.filter((route) => route.types.some((type) => types.includes(type)));

type Sent = {
  readonly query?: string;
  readonly type?: string;
  readonly body?: string | Buffer;
  readonly url?: string;
};

/** Operators are sent to what does not exist: what they may do there is done without another question. */
const addressOf = (template: string, as: Route['as']) => {
  const ids: Record<string, string> = { organization_id: scene.organizationId, addon_id: scene.clientId };
  const unknown = '01JD0000000000000000000000';
  return template.replace(
    /\{(\w+)\}/g,
    (_, name: string) => (as === 'operator' ? null : ids[name]) ?? unknown,
  );
};

const send = (route: Route, { query = '', url = route.template, ...sent }: Sent) =>
  sendTo(route, { url: addressOf(url, route.as) + query, ...sent });

/** The title of a page with an error says so: that is no stack. */
const showsStack = (body: string) => /\.(?:ts|js|mjs):\d|node_modules|(?<!<title>)Error:|\bFST_/.test(body);
/** What a refusal is like from outside: its hundred, and whether it shows what it should not. */
const kind = ({ statusCode, body }: { statusCode: number; body: string }) =>
  `${Math.floor(statusCode / 100)}xx${showsStack(body) ? ' with a stack' : ''}`;
const problemOf = (answer: { json(): { type: string } }) => answer.json().type.replace(/.*\//, '');

/** The routes that answer otherwise than all of them should, several at once. */
const unlike = async <T>(
  wanted: T,
  chosen: readonly Route[],
  answerOf: (route: Route, turn: number) => Promise<T>,
) => {
  const answers = await pMap(
    chosen.entries(),
    async ([turn, route]) => [route.method, route.template, await answerOf(route, turn)] as const,
    { concurrency: 16 },
  );
  if (answers.length === 0) throw new Error('there is no such route');
  return answers.filter(([, , answer]) => !isDeepStrictEqual(answer, wanted));
};

describe('every route', () => {
  test('with a form refuses a body that is none', async () => {
    const wrong = await unlike(['4xx', '4xx'], taking(formType), async (route, turn) => {
      const other = inTurn(['text/xml', 'multipart/form-data; boundary=x', 'x', '*/*'], turn);
      const answers = [jsonType, other].map((type) => send(route, { type, body: '{"a":' }));
      return (await Promise.all(answers)).map(kind);
    });
    expect(wrong).toEqual([]);
  });

  test('with a body refuses one that is too large', async () => {
    const body = Buffer.alloc(2 * 1024 * 1024 + 1, 'a=x');
    const withBody = taking(formType, jsonType, linesType);
    const wrong = await unlike([413, '4xx'], withBody, async (route) => {
      const answer = await send(route, { type: route.types[0] ?? '', body });
      return [answer.statusCode, kind(answer)];
    });
    expect(wrong).toEqual([]);
  });

  test.each([
    [jsonType, '{"a":', [400, 'malformed-request']],
    ['text/xml', '<a/>', [415, 'unsupported-media-type']],
  ])('with JSON refuses a body of the type %s: %s', async (type, body, refusal) => {
    const wrong = await unlike(refusal, taking(jsonType), async (route) => {
      const answer = await send(route, { type, body });
      return [answer.statusCode, problemOf(answer)];
    });
    expect(wrong).toEqual([]);
  });

  test.each([jsonType, 'text/xml', formType, 'multipart/form-data; boundary=x', 'x'])(
    'with lines refuses a body of the type %s',
    async (type) => {
      const wrong = await unlike([415, 'unsupported-media-type'], taking(linesType), async (route) => {
        const answer = await send(route, { type, body: '{"a":' });
        return [answer.statusCode, problemOf(answer)];
      });
      expect(wrong).toEqual([]);
    },
  );

  const ofOrganizations = routes.filter(({ template }) => template.startsWith('/organizations'));
  const wrongParameters = (answer: { json(): { errors?: readonly { parameter: string }[] } }) =>
    answer.json().errors?.map(({ parameter }) => parameter);

  test.each(['x', "';--", 'a'.repeat(300), '%00', '..%2f..', '%F0%9F%9A%AA', '__proto__'])(
    'of an organization names an id that cannot be: %s',
    async (bad) => {
      const wrong = await unlike([400, ['organization_id']], ofOrganizations, async (route) => {
        const answer = await send(route, { url: route.template.replace('{organization_id}', bad) });
        return [answer.statusCode, wrongParameters(answer)];
      });
      expect(wrong).toEqual([]);
    },
  );

  test('of an organization names parameters that cannot be', async () => {
    const wrong = await unlike<unknown>(['verbose', '__proto__'], ofOrganizations, async (route) =>
      wrongParameters(await send(route, { query: '?verbose=1&__proto__=2' })),
    );
    expect(wrong).toEqual([]);
  });

  test('survives an address that cannot be decoded', async () => {
    const wrong = await unlike(['4xx', '4xx'], routes, async ({ template, ...route }, turn) => {
      const start = template === '/' ? '' : template;
      const other = inTurn([`${start}/%`, `/${'a'.repeat(3000)}`, `${start}/a//`], turn);
      const urls = [`${start}/%E0%A4%A`, other];
      return Promise.all(urls.map(async (url) => kind(await send({ template, ...route }, { url }))));
    });
    expect(wrong).toEqual([]);
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
  test('no route ever answers 500 or shows a stack', async () => {
    const wrong = await unlike<unknown>(null, routes, async (route, turn) => {
      const type = route.types.find((one) => one === formType || one === linesType);
      const survives = async (query: string, body: string) =>
        !/^5|stack/.test(kind(await send(route, { query: `?${query}`, ...(type && { body, type }) })));
      // Each route is sent other input: much of what reads it is shared.
      const runs = { ...propertyRuns(isRelease ? 25 : 1), seed: seed + turn };
      return (await fc.check(fc.asyncProperty(input, input, survives), runs)).counterexample;
    });
    expect(wrong).toEqual([]);
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
    expect((await http.commands.showActivation(scene.organizationId, scene.clientId)).epoch).toBe(1);
  });
});
