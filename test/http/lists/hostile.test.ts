import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cursor, makeCursors } from '../../../src/http/lists/cursor.ts';
import { decodedBody } from '../../support/decoded-body.ts';
import { startHttpApp, type HttpApp } from '../../support/scenes/http-app.ts';
import { activate, listWith, obtainTokens, setScene, type Scene } from '../../support/scenes/http-scene.ts';
import { profileOf, rightOf } from '../../support/scenes/profile.ts';
import { head, sayTo } from '../../support/servers/raw-socket.ts';
import { isRelease } from '../../support/tiers.ts';

/** Whatever is sent to a list, or to `/grant`: no fault of ours, one statement at most, one page of work at most (LI-06). */

const numRuns = Number(process.env['GRANTBOOK_FUZZ_RUNS'] ?? (isRelease ? 1_500 : 60));
const lists = ['/profiles', '/reservations', '/access-rights'] as const;
const records = 12;

let http: HttpApp;
let statements: readonly (readonly unknown[])[] = [];
/** Good ones first; then one that was ended, and one that is none. */
let tokens: readonly string[] = [];
/** Of every list, reader, direction and size that a walk of a few links comes by. */
let cursors: readonly string[] = [];
let etags: readonly string[] = [];
/** Of every list and reader. */
let syncTokens: readonly string[] = [];

beforeAll(async () => {
  http = await startHttpApp({
    aroundReader: (reader) => ({
      ...reader,
      query: async (...asked: Parameters<typeof reader.query>) => {
        const rows = await reader.query(...asked);
        statements = [...statements, rows];
        return rows as never;
      },
    }),
  });
  const [scene, other] = [await setScene(http), await setScene(http)];
  for (const one of [scene, other]) {
    await activate(http, one);
    await fill(one);
  }
  await http.settle();
  const of = (one: Scene, subject: string) =>
    obtainTokens(http, one, { subject, change: { prompt: 'consent' } });
  const organization = await of(scene, `organization:${scene.organizationId}`);
  const user = await of(scene, 'user');
  const otherOrganization = await of(other, `organization:${other.organizationId}`);
  const ended = await of(scene, 'user');
  const token = ended.access_token;
  await http.commands.revokeToken({ addonId: scene.clientId, token });
  const good = [organization, user, otherOrganization].map(({ access_token }) => access_token);
  tokens = [...good, token, 'mkt_at_x'];
  const walked = await Promise.all(
    good.flatMap((bearer) =>
      lists.flatMap((url) => [1, 5].map((size) => linksOf(`${url}?page=2&per_page=${size}`, bearer))),
    ),
  );
  cursors = [...walked.flatMap((page) => page.cursors), ...otherKeys];
  etags = walked.map(({ etag }) => etag);
  syncTokens = walked.map(({ syncToken }) => syncToken);
  await http.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => http.close());

const fill = async ({ organizationId, userId }: Scene) => {
  for (let at = 0; at < records; at += 1) {
    const [id, base] = [`x${at}`, { organizationId, version: 1 }];
    const person = profileOf('A', { userId: at % 2 ? userId : null });
    await http.commands.recordProfile({ ...base, id, record: person });
    await http.commands.recordAccessRight({
      ...base,
      id,
      record: rightOf(id),
    });
  }
};

const linksOf = async (url: string, bearer: string) => {
  const answer = await listWith(http, url, bearer);
  const { _links, sync_token } = answer.json<{ _links: { href: string }[]; sync_token: string }>();
  return {
    etag: String(answer.headers.etag),
    syncToken: sync_token,
    cursors: _links.flatMap(({ href }) => new URL(href).searchParams.get('cursor') ?? []),
  };
};

const stolen: Cursor = {
  page: 2,
  perPage: 5,
  list: 1n,
  direction: 'after',
  position: { organizationId: 'O', ordinal: 2 ** 53 - 1 },
  bound: 2n ** 64n - 1n,
  sync: { position: 2n ** 64n - 1n, state: 0n, minutes: 0 },
};
const otherKeys = ['k1', 'k2', 'k'].map((id) =>
  makeCursors([{ id, key: new Uint8Array(32).fill(9) }]).encrypt(stolen),
);

const encoded = fc.oneof(
  fc
    .uint8Array({ maxLength: 30 })
    .map((bytes) => [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')),
  fc.string({ maxLength: 30 }).map((text) => encodeURIComponent(text)),
  fc.constantFrom(
    '',
    '%',
    '%0',
    '%zz',
    '%00',
    '%ff%fe',
    '%E0%A4%A',
    '%C0%AF',
    '%ED%A0%80',
    '+',
    '%2B2',
    '%0d%0aX: y',
  ),
);
const number = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 9 }).map(String) },
  fc.integer({ min: 90, max: 110 }).map(String),
  fc.integer().map(String),
  fc.double().map(String),
  fc.constantFrom('2147483647', '2147483648', '1e3', '02', '-0', '0x1', '1'.repeat(5_000), '٢', '1_0'),
);
/** One of these with another byte in it. */
const changedIn = (texts: () => readonly string[]) =>
  fc.tuple(fc.nat(), fc.nat(), fc.nat(255)).map(([which, where, byte]) => {
    const bytes = Buffer.from(texts()[which % texts().length] ?? '', 'base64url');
    bytes[where % bytes.length] = byte;
    return bytes.toString('base64url');
  });
const cursor = fc.oneof(
  { weight: 3, arbitrary: fc.nat().map((at) => cursors[at % cursors.length] ?? '') },
  changedIn(() => cursors),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
  fc.constantFrom('A'.repeat(513), 'A'.repeat(12_000), '=', '-', '_'),
);
/** Good for one list and reader, changed, or none at all. */
const syncToken = fc.oneof(
  { weight: 3, arbitrary: fc.nat().map((at) => syncTokens[at % syncTokens.length] ?? '') },
  changedIn(() => syncTokens),
  cursor,
);
const pair = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constantFrom('page', 'per_page'),
      fc.oneof({ weight: 4, arbitrary: number }, encoded),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constant('cursor'), fc.oneof({ weight: 4, arbitrary: cursor }, encoded)),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constant('sync_token'), fc.oneof({ weight: 4, arbitrary: syncToken }, encoded)),
  },
  fc.tuple(
    fc.oneof(fc.constantFrom('p%61ge', 'page%00', 'page[]', '__proto__', 'constructor', 'PAGE', ''), encoded),
    encoded,
  ),
);
const query = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .array(pair, { maxLength: 4 })
      .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&')),
  },
  fc.tuple(pair, fc.integer({ min: 500, max: 3_000 })).map(([[name], times]) => `${name}&`.repeat(times)),
  fc.constantFrom(
    '?page=1',
    '&&&',
    '=&=',
    ';page=1',
    'page=1;per_page=2',
    'page=1#page=2',
    `x=${'y'.repeat(12_000)}`,
  ),
);

const field = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code < 0x7f || code > 0x9f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 60,
});
const tag = fc.oneof(
  fc.nat().map((at) => etags[at % etags.length] ?? ''),
  fc.constantFrom('*', '', '"', 'W/', 'W/"1.x"', '"1."', ',,,', 'w/"1.x"', '"1.a,b"'),
  field,
);
const headers = fc.record(
  {
    'if-none-match': fc.oneof(
      fc.array(tag, { maxLength: 5 }).map((tags) => tags.join(', ')),
      fc.tuple(tag, fc.integer({ min: 50, max: 300 })).map(([one, times]) => `${one},`.repeat(times)),
    ),
    'if-match': tag,
    'if-modified-since': fc.oneof(field, fc.constant('Sat, 29 Oct 1994 19:43:31 GMT')),
    accept: fc.oneof(field, fc.constantFrom('text/html', 'application/xml;q=1', '*/*')),
    'accept-encoding': fc.oneof(field, fc.constantFrom('br', 'gzip', '*', 'br;q=0, *', 'identity;q=0')),
    range: fc.oneof(field, fc.constantFrom('bytes=0-5', 'items=0-9', 'bytes=5-1')),
    host: fc.constantFrom('evil.example', 'localhost:1', '[::1]'), // one that is none is refused before the list is asked
    origin: field,
    cookie: field,
    'x-http-method-override': fc.constantFrom('DELETE', 'POST'),
    'x-forwarded-host': fc.constant('evil.example'),
    'x-forwarded-proto': field,
    'x-forwarded-for': field,
    forwarded: fc.constant('host=evil.example;proto=gopher'),
    'x-original-url': fc.constant('/admin'),
  },
  { requiredKeys: [] },
);
const authorization = fc.oneof(
  { weight: 8, arbitrary: fc.nat().map((at) => `Bearer ${tokens[at % 3]}`) },
  fc.nat().map((at) => `Bearer ${tokens[at % tokens.length]}`),
  fc.constantFrom(undefined, 'Bearer', 'bearer ', 'Basic YTpi', 'Bearer a b', `Bearer ${'x'.repeat(9_000)}`),
  field,
);

type Page = { items?: unknown[]; _pagination?: { per_page: number }; _links: { href: string }[] };

describe('a list that is asked for anything', () => {
  test('LI-06: answers as its description says, after one statement at most, with one page at most', async () => {
    const seen = new Set<number>();
    const plain = { url: lists[0], method: 'GET', query: '', authorization: `Bearer ${tokens[0]}` } as const;
    const asked = fc.record({
      url: fc.constantFrom(...lists, ...lists, '/grant'),
      method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
      query,
      headers,
      authorization,
    });
    await fc.assert(
      fc.asyncProperty(asked, async (sent) => {
        statements = [];
        const answer = await http.app.inject({
          method: sent.method as 'GET',
          url: `${sent.url}?${sent.query}`,
          headers: {
            ...sent.headers,
            ...(sent.authorization !== undefined && { authorization: sent.authorization }),
          },
        });
        seen.add(answer.statusCode);
        expect([200, 304, 400, 401]).toContain(answer.statusCode);
        expect(statements.length).toBeLessThanOrEqual(1);
        expect(statements.flat().length).toBeLessThanOrEqual(100);
        const body = decodedBody(answer);
        expect(`${body} ${String(answer.headers.link)}`).not.toContain('evil.example');
        expect(body.length).toBeLessThan(60_000);
        const page = answer.statusCode === 200 && body !== '' ? (JSON.parse(body) as Page) : null;
        expect(page?.items?.length ?? 0).toBeLessThanOrEqual(page?._pagination?.per_page ?? 0);
      }),
      {
        numRuns,
        // One that ends in each of the ways there are, whatever else is drawn.
        examples: [
          [{ ...plain, headers: {} }],
          [{ ...plain, headers: { 'if-none-match': etags[0] ?? '' } }],
          [{ ...plain, headers: {}, query: 'page=0' }],
          [{ ...plain, headers: {}, query: `sync_token=${syncTokens[0]}` }],
          [{ ...plain, headers: {}, query: `sync_token=${syncTokens.at(-1)}` }],
          [{ ...plain, headers: {}, url: '/grant' }],
          [{ ...plain, headers: {}, authorization: `Bearer ${tokens[3]}` }],
        ],
      },
    );
    expect(seen).toEqual(new Set([200, 304, 400, 401]));
  });

  test('LI-03: every cursor that was ever given out is taken by every list and reader, and by each of its own page', async () => {
    expect(cursors.length).toBeGreaterThan(20);
    for (const url of lists)
      for (const bearer of tokens.slice(0, 2))
        for (const sent of cursors.slice(0, -otherKeys.length)) {
          const answer = await listWith(http, `${url}?page=3&per_page=5&cursor=${sent}`, bearer);
          expect(answer.statusCode).toBe(200);
        }
  });
});

describe('AP-05: of all sync_tokens that were ever given out', () => {
  test('a list takes those of its own reader, and no other', async () => {
    const readers = tokens.slice(0, 3);
    for (const [at, sent] of syncTokens.entries())
      for (const bearer of readers)
        for (const url of lists) {
          const answer = await listWith(http, `${url}?sync_token=${sent}`, bearer);
          const code = answer.json<{ errors?: readonly { code: string }[] }>().errors?.[0]?.code;
          const isOwn = bearer === readers[Math.floor(at / 6)] && url === lists[Math.floor(at / 2) % 3];
          const expected = isOwn ? [200, undefined] : [400, 'foreign'];
          expect([url, at, answer.statusCode, code]).toEqual([url, at, ...expected]);
        }
  });
});

describe('on the wire', () => {
  const ask = (line: string, ...fields: readonly string[]) =>
    sayTo(http.app, head(line, `authorization: Bearer ${tokens[0]}`, ...fields));

  test.each([
    ['an address with bytes', 'GET /profiles?page=\u00ff\u0001', [400]],
    ['half a percent sign', 'GET /profiles?page=%', [400]],
    ['the address of another host', 'GET http://evil.example/profiles?per_page=1', [200, 400, 404]],
    ['two slashes', 'GET //profiles', [404]],
    ['a path that is not normal', 'GET /x/../profiles', [404]],
    ['a method in small letters', 'get /profiles', [400]],
    ['a method that nobody knows', 'STEAL /profiles', [400]],
    ['parameters without end', `GET /profiles?${'page&'.repeat(2_500)}`, [400]],
    [
      'names without end',
      `GET /profiles?${Array.from({ length: 2_000 }, (_, at) => `p${at}`).join('&')}`,
      [400],
    ],
  ])('LI-06: %s is no fault of ours', async (_what, line, statuses) => {
    const { status, answer } = await ask(line);
    expect(statuses).toContain(status);
    expect(answer).not.toContain('evil.example');
  });

  test.each([
    ['tags without end', [`if-none-match: ${'"1.a",'.repeat(1_800)}`]],
    ['a field of tags a hundred times', Array.from({ length: 100 }, (_, at) => `if-none-match: "1.${at}"`)],
    ['a part of it', ['range: bytes=0-5', 'if-range: "1.a"']],
    ['another method in a field', ['x-http-method-override: DELETE', 'x-method-override: PUT']],
    ['two hosts that are not ours', ['x-forwarded-host: evil.example', 'forwarded: host=evil.example']],
    ['a second token', [`authorization: Bearer mkt_at_x`]],
  ])('LI-06: asked with %s it is a page like every other', async (_what, fields) => {
    statements = [];
    const { status, answer } = await ask('GET /profiles?per_page=1', ...fields);
    expect(status).toBe(200);
    expect(answer).toContain('"per_page":1');
    expect(answer).not.toContain('evil.example');
    expect(statements.length).toBe(1);
  });

  test('LI-06: a body that nobody asked for is not read into the answer', async () => {
    const body = 'page=2&per_page=1';
    const fields = ['content-type: application/x-www-form-urlencoded', `content-length: ${body.length}`];
    const said = head('GET /profiles?per_page=2', `authorization: Bearer ${tokens[0]}`, ...fields) + body;
    const { status, answer } = await sayTo(http.app, said);
    expect(status === 200 ? answer : '"page":1').toContain('"page":1');
    expect(status).toBeLessThan(500);
  });

  test('after all this nothing was a fault of ours', () => {
    expect(http.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });
});
