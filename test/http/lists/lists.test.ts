import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { fetchThrough } from '../../support/servers/fetch-through.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  createUser,
  listWith,
  obtainTokens,
  password,
  setScene,
} from '../../support/scenes/http-scene.ts';
import { testBrowser } from '../../support/scenes/pages.ts';
import { profileOf, rightOf } from '../../support/scenes/profile.ts';

const lists = ['/access-rights', '/profiles', '/reservations'] as const;

/** FX-23: each challenge names it. */
const metadata = 'resource_metadata="http://127.0.0.1:8080/.well-known/oauth-protected-resource"';

const stay = (profileId: string) => ({
  profileId,
  resource: 'Berth 7',
  startsAt: '2026-05-01T08:00:00Z',
  endsAt: '2026-05-02T08:00:00Z',
  status: 'confirmed' as const,
  title: null,
  note: 'late',
});

let token: string;
let baseUrl = 'http://127.0.0.1:8080';

const get = (url: string) => listWith(http, url, token);

const http = await startHttpApp({
  around: (needs) => ({
    ...needs,
    config: Object.defineProperty({ ...needs.config }, 'baseUrl', { enumerable: true, get: () => baseUrl }),
  }),
});
const scene = await setScene(http);
await activate(http, scene);
const { organizationId, userId } = scene;
const base = { organizationId, version: 1 };
for (const [version, record] of [stay('p1'), null].entries())
  await http.commands.recordReservation({ organizationId, id: 'gone', version: version + 1, record });
for (const [id, owner] of [
  ['p1', userId],
  ['p2', null],
  ['p3', null],
] as const) {
  await http.commands.recordProfile({
    ...base,
    id,
    record: profileOf(`Person ${id}`, {
      email: `${id}@example.com`,
      userId: owner,
      locale: 'de',
      externalId: 'M-7',
    }),
  });
  await http.commands.recordReservation({ ...base, id: `r${id}`, record: stay(id) });
  await http.commands.recordAccessRight({
    ...base,
    id: `a${id}`,
    record: rightOf(id, `r${id}`),
  });
}
await http.settle();
token = (await obtainTokens(http, scene, { subject: `organization:${organizationId}` })).access_token;
afterAll(() => http.close());

const reason = (answer: { json(): { type: string } }) => answer.json().type.replace(/.*\//, '');
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/) as string;

describe('what a list says', () => {
  test('LI-07: items have the names of the public interface', async () => {
    const first = async (url: string) => (await get(`${url}?per_page=1`)).json().items[0];
    const times = { version: 1, created_at: iso, updated_at: iso };
    expect(await first('/profiles')).toEqual({
      id: 'p1',
      name: 'Person p1',
      email: 'p1@example.com',
      user_id: scene.userId,
      phone: null,
      locale: 'de',
      external_id: 'M-7',
      ...times,
    });
    expect(await first('/reservations')).toEqual({
      id: 'rp1',
      profile_id: 'p1',
      resource: 'Berth 7',
      starts_at: '2026-05-01T08:00:00Z',
      ends_at: '2026-05-02T08:00:00Z',
      status: 'confirmed',
      title: null,
      note: 'late',
      ...times,
    });
    expect(await first('/access-rights')).toEqual({
      id: 'ap1',
      profile_id: 'p1',
      opens: 'Gate',
      valid_from: '2026-05-01T08:00:00Z',
      valid_until: null,
      status: 'active',
      reservation_id: 'rp1',
      ...times,
    });
  });

  test('LI-02, LI-03: totals, links as an array, first and last in the Link header', async () => {
    const answer = await get('/profiles?page=2&per_page=1');
    const at = (page: number) => `${http.baseUrl}/profiles?page=${page}&per_page=1`;
    expect(answer.json()._pagination).toEqual({ page: 2, total_items: 3, pages: 3, per_page: 1 });
    const links = answer.json<{ _links: { rel: string; type: string; href: string }[] }>()._links;
    expect(links.map(({ rel, type, href }) => [rel, type, href.replace(/&cursor=[\w-]{60,}$/, '')])).toEqual([
      ['prev', 'GET', at(1)],
      ['next', 'GET', at(3)],
    ]);
    expect(links.every(({ href }) => href.includes('&cursor='))).toBe(true);
    expect(answer.headers.link).toBe(
      `<${links[0]?.href}>; rel="prev", <${links[1]?.href}>; rel="next", <${at(1)}>; rel="first", <${at(3)}>; rel="last"`,
    );
  });

  test('LI-02, LI-03: links are followed as they are, there and back', async () => {
    type Page = { items: { id: string }[]; _links: { rel: string; href: string }[] };
    const walk = async (start: string, rel: string) => {
      const ids: string[] = [];
      for (let href: string | undefined = start; href !== undefined;) {
        const page: Page = (await get(href.replace(http.baseUrl, ''))).json();
        ids.push(...page.items.map(({ id }) => id));
        href = page._links.find((link) => link.rel === rel)?.href;
      }
      return ids;
    };
    for (const url of lists) {
      const forth = await walk(`${url}?per_page=2`, 'next');
      expect(forth.map((id) => id.slice(-2))).toEqual(['p1', 'p2', 'p3']);
      expect((await walk(`${url}?page=3&per_page=1`, 'prev')).toReversed()).toEqual(forth);
    }
  });

  test('LI-02: the loop that docs/explanation/lists.md shows gets every record once', async () => {
    const text = readFileSync(join(import.meta.dirname, '../../../docs/explanation/lists.md'), 'utf8');
    const [, loop = ''] = /```js\n(.*?)```/s.exec(text) ?? [];
    type Loop = (address: string, token: string) => AsyncIterable<{ readonly id: string }>;
    const module = `data:text/javascript,${encodeURIComponent(`export ${loop}`)}`;
    const { everything } = (await import(module)) as { readonly everything: Loop };
    vi.stubGlobal('fetch', fetchThrough(http, http.baseUrl));
    onTestFinished(() => void vi.unstubAllGlobals());
    const ids: string[] = [];
    for await (const { id } of everything(`${http.baseUrl}/profiles?per_page=1`, token)) ids.push(id);
    expect(ids).toEqual(['p1', 'p2', 'p3']);
    await expect(
      everything(`${http.baseUrl}/profiles`, 'no token')[Symbol.asyncIterator]().next(),
    ).rejects.toThrow(`${http.baseUrl}/problems/token-unknown`);
  });

  test('LI-03: links are below the public address, also where that has a path', async () => {
    baseUrl = 'https://api.example/market';
    const { headers, body } = await get('/profiles?page=2&per_page=1').finally(
      () => (baseUrl = http.baseUrl),
    );
    const hrefs = [...`${body} ${String(headers.link)}`.matchAll(/https?:[^">]*/g)].map(([href]) => href);
    expect(hrefs.length).toBe(6);
    for (const href of hrefs) expect(href).toMatch(/^https:\/\/api\.example\/market\/profiles\?page=[123]&/);
  });

  test('LI-03, LI-06: a cursor of another list or page counts for nothing, a changed one is refused', async () => {
    const { _links } = (await get('/profiles?per_page=1')).json<{ _links: { href: string }[] }>();
    const cursor = new URL(_links[0]?.href ?? '').searchParams.get('cursor') ?? '';
    const ids = async (url: string) => (await get(url)).json().items.map(({ id }: { id: string }) => id);
    expect(await ids(`/profiles?page=3&per_page=1&cursor=${cursor}`)).toEqual(['p3']);
    expect(await ids(`/profiles?page=2&per_page=1&cursor=${cursor}`)).toEqual(['p2']);
    // After the first ordinal the reservations begin, for one was removed there.
    expect(await ids(`/reservations?page=2&per_page=1&cursor=${cursor}`)).toEqual(['rp2']);
    const answer = await get(`/profiles?page=2&per_page=1&cursor=${cursor.slice(0, 112)}`);
    expect([answer.statusCode, answer.json().errors]).toEqual([
      400,
      [{ parameter: 'cursor', code: 'forged', allowed: 'the cursor of a link, as it was' }],
    ]);
  });

  test('LI-03: links never come from the Host header', async () => {
    const answer = await http.app.inject({
      url: '/profiles?per_page=1',
      headers: { authorization: `Bearer ${token}`, host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    });
    expect(answer.body).not.toContain('evil.example');
    expect(String(answer.headers.link)).not.toContain('evil.example');
  });

  test('LI-05: past the last page: 200, no items, true totals, prev to the last page', async () => {
    const answer = await get('/profiles?page=2147483647&per_page=2');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      items: [],
      _pagination: { page: 2_147_483_647, total_items: 3, pages: 2, per_page: 2 },
      _links: [{ rel: 'prev', type: 'GET', href: `${http.baseUrl}/profiles?page=2&per_page=2` }],
      sync_token: expect.stringMatching(/^[\w-]+$/),
    });
  });

  test('LI-04, LI-05: an empty list has no pages and no links', async () => {
    const empty = await setScene(http);
    await activate(http, empty);
    const subject = `organization:${empty.organizationId}`;
    const { access_token } = await obtainTokens(http, empty, { subject });
    for (const url of lists)
      expect((await listWith(http, url, access_token)).json()).toEqual({
        items: [],
        _pagination: { page: 1, total_items: 0, pages: 0, per_page: 25 },
        _links: [],
        sync_token: expect.stringMatching(/^[\w-]+$/),
      });
  });

  test('LI-01: HEAD answers as GET does, without the body', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await http.app.inject({ method: 'HEAD', url: '/profiles', headers });
    expect([answer.statusCode, answer.body]).toEqual([200, '']);
    const { date: _asked, ...told } = answer.headers;
    const { date: _then, ...same } = (await get('/profiles')).headers;
    expect(told).toEqual(same);
    expect(Object.keys(told)).toEqual(expect.arrayContaining(['link', 'etag', 'cache-control', 'vary']));
    expect((await http.app.inject({ method: 'HEAD', url: '/profiles' })).statusCode).toBe(401);
  });

  test.each([...lists])('LI-01: %s offers GET and HEAD only, and tells browsers so', async (url) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'QUERY'] as const) {
      const answer = await http.app.inject({ method: method as 'POST', url });
      expect([method, answer.statusCode, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD, OPTIONS']);
    }
  });

  test('LI-06: wrong parameters are all named, in problem details', async () => {
    const answer = await get('/profiles?page=0&per_page=101&sort=name');
    expect(answer.statusCode).toBe(400);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.json()).toMatchObject({
      type: `${http.baseUrl}/problems/invalid-parameters`,
      status: 400,
      instance: expect.stringMatching(/^urn:trace:[0-9a-f]{32}:[0-9a-f]{16}$/),
      errors: [
        { parameter: 'page', code: 'out-of-range' },
        { parameter: 'per_page', code: 'out-of-range' },
        { parameter: 'sort', code: 'unknown' },
      ],
    });
  });
});

describe('a page that is asked for again', () => {
  const again = (url: string, ifNoneMatch: string, accessToken = token, method: 'GET' | 'HEAD' = 'GET') =>
    http.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${accessToken}`, 'if-none-match': ifNoneMatch },
    });
  const tagOf = async (url: string) => String((await get(url)).headers.etag);

  test.each(['GET', 'HEAD'] as const)(
    '%s is 304 while nothing has changed (RFC 9110 §15.4.5)',
    async (method) => {
      const before = await get('/profiles?per_page=2');
      const etag = String(before.headers.etag);
      const kept = { etag, 'cache-control': 'private, no-cache', vary: 'Authorization, Accept-Encoding' };
      expect(etag).toMatch(/^W\/"1\.[\w-]{1,64}"$/);
      expect(before.headers).toMatchObject(kept);
      for (const tags of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
        const answer = await again('/profiles?per_page=2', tags, token, method);
        expect([answer.statusCode, answer.body]).toEqual([304, '']);
        expect(answer.headers).toMatchObject(kept);
        for (const absent of ['link', 'content-type', 'last-modified'])
          expect(answer.headers).not.toHaveProperty(absent);
      }
      expect((await again('/profiles?per_page=2', '"x"', token, method)).statusCode).toBe(200);
    },
  );

  test('each list has its own tag, and one for each that sees it', async () => {
    const flow = { subject: 'user', change: { prompt: 'consent' } };
    const { access_token } = await obtainTokens(http, scene, flow);
    const tags = await Promise.all(lists.map(tagOf));
    const own = await Promise.all(
      lists.map(async (url) => String((await listWith(http, url, access_token)).headers.etag)),
    );
    expect(new Set([...tags, ...own]).size).toBe(6);
    expect((await again('/profiles', tags[1] ?? '', access_token)).statusCode).toBe(200);
  });

  test('is sent anew once a record has changed', async () => {
    const theirs = await setScene(http);
    await activate(http, theirs);
    const { organizationId } = theirs;
    const flow = { subject: `organization:${organizationId}` };
    const { access_token } = await obtainTokens(http, theirs, flow);
    const tags: string[] = [];
    for (const version of [1, 2]) {
      tags.push(String((await listWith(http, '/profiles', access_token)).headers.etag));
      const record = profileOf(`A${version}`);
      await http.commands.recordProfile({ organizationId, id: 'p', version, record });
      await http.settle();
    }
    const answer = await again('/profiles', tags.join(', '), access_token);
    expect([answer.statusCode, answer.json().items[0].name]).toEqual([200, 'A2']);
    expect(new Set([...tags, answer.headers.etag]).size).toBe(3);
  });

  test('DE-01, RS-01: is judged by its token first: a dead one gets 401 with the right tag, too', async () => {
    const theirs = await setScene(http);
    await activate(http, theirs);
    const { organizationId, clientId: addonId, userId } = theirs;
    const { access_token } = await obtainTokens(http, theirs, { subject: `organization:${organizationId}` });
    const etag = String((await listWith(http, '/profiles', access_token)).headers.etag);
    const told = async (url = '/profiles', tags = etag) => (await again(url, tags, access_token)).statusCode;
    expect(await told()).toBe(304);
    expect(await told('/profiles?page=0')).toBe(400);
    http.setTrusted(false);
    expect(await told()).toBe(503);
    http.setTrusted(true);
    await http.commands.deactivateAddon({ organizationId, addonId, by: userId });
    for (const tags of [etag, '*']) {
      const answer = await again('/profiles', tags, access_token);
      expect([answer.statusCode, reason(answer)]).toEqual([401, 'addon-deactivated']);
      expect(answer.headers).not.toHaveProperty('etag');
    }
    const wrong = await again('/profiles?page=0', etag, access_token);
    expect([wrong.statusCode, reason(wrong)]).toEqual([401, 'addon-deactivated']);
  });
});

describe('a script of another site', () => {
  const origin = 'https://app.addon.example';
  const exposed = 'Link, ETag, Grantbook-Stale, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate';

  test.each([...lists])('may read %s, with a token and without cookies', async (url) => {
    const asked = await http.app.inject({
      method: 'OPTIONS',
      url,
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization,if-none-match',
      },
    });
    expect([asked.statusCode, asked.body]).toEqual([204, '']);
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'authorization, if-none-match, traceparent, tracestate',
    });
    expect(asked.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  test('sees every answer, and the headers that it needs', async () => {
    const send = (url: string, headers: Record<string, string>) =>
      http.app.inject({ url, headers: { origin, ...headers } });
    const authorization = `Bearer ${token}`;
    const etag = String((await get('/profiles')).headers.etag);
    const answers = await Promise.all([
      send('/profiles', { authorization }),
      send('/profiles', { authorization, 'if-none-match': etag }),
      send('/profiles?page=0', { authorization }),
      send('/profiles', {}),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 304, 400, 401]);
    for (const { headers } of answers)
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': exposed,
      });
  });
});

describe('a list whose changes are held back (ADR 20)', () => {
  test('says so with every page and every 304, and no longer once nothing is held back', async () => {
    const { pool } = http;
    const etag = String((await get('/profiles')).headers.etag);
    const both = async (url: string) => [
      (await get(url)).headers['grantbook-stale'],
      (await http.app.inject({ url, headers: { authorization: `Bearer ${token}`, 'if-none-match': etag } }))
        .headers['grantbook-stale'],
    ];
    expect(await both('/profiles')).toEqual([undefined, undefined]);
    await pool.query(
      `insert into parked_events (checkpoint, projection, stream, revision, event_id, type, commit_position,
                                  prepare_position, error, list, organization_id, record_id, profile_id)
       values ('read-models', 'lists', 'profile-x.p1', 1, $1, 'ProfileRecorded', 1, 1, 'broken', 'profiles', $2, 'p1', 'p1')`,
      [randomUUID(), scene.organizationId],
    );
    expect(await both('/profiles')).toEqual(['?1', '?1']);
    expect(await both('/reservations')).toEqual([undefined, undefined]);
    await pool.query('delete from parked_events');
    expect(await both('/profiles')).toEqual([undefined, undefined]);
  });
});

describe('whose records', () => {
  test("LI-09: a user's token sees the records of the user's own profiles", async () => {
    const flow = { subject: 'user', change: { prompt: 'consent' } };
    const { access_token } = await obtainTokens(http, scene, flow);
    const ids = async (url: string) =>
      (await listWith(http, url, access_token)).json().items.map(({ id }: { id: string }) => id);
    expect(await ids('/profiles')).toEqual(['p1']);
    expect(await ids('/reservations')).toEqual(['rp1']);
    expect(await ids('/access-rights')).toEqual(['ap1']);
  });

  test.each([...lists])(
    'RS-01, LI-09: the scope of %s opens no other list: 403 insufficient_scope',
    async (own) => {
      const flow = { subject: 'user', change: { scope: `${own.slice(1)}:read`, prompt: 'consent' } };
      const { access_token } = await obtainTokens(http, scene, flow);
      expect((await listWith(http, own, access_token)).statusCode).toBe(200);
      for (const url of lists.filter((other) => other !== own)) {
        const answer = await listWith(http, url, access_token);
        expect([answer.statusCode, reason(answer)]).toEqual([403, 'insufficient-scope']);
        expect(answer.headers['www-authenticate']).toBe(
          `Bearer realm="grantbook", error="insufficient_scope", scope="${url.slice(1)}:read", ${metadata}`,
        );
      }
    },
  );

  test('LI-10, RS-01: a dead token that also lacks the scope is refused as dead', async () => {
    const own = await setScene(http);
    await activate(http, own);
    const { organizationId, clientId: addonId, userId } = own;
    const flow = { subject: `organization:${organizationId}`, change: { scope: 'profiles:read' } };
    const { access_token } = await obtainTokens(http, own, flow);
    const list = () => listWith(http, '/access-rights', access_token);
    expect(reason(await list())).toBe('insufficient-scope');
    http.setTrusted(false);
    expect((await list()).statusCode).toBe(503);
    http.setTrusted(true);
    await http.commands.deactivateAddon({ organizationId, addonId, by: userId });
    const answer = await list();
    expect([answer.statusCode, reason(answer)]).toEqual([401, 'addon-deactivated']);
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer realm="grantbook", error="invalid_token", ${metadata}`,
    );
  });

  test('AC-03: another administrator gets the same records', async () => {
    const browser = testBrowser(http.app);
    const email = 'second@harbour.example';
    await createUser(http, email, [scene.organizationId]);
    await http.settle();
    await browser.signIn(email, password);
    const flow = { browser, subject: `organization:${scene.organizationId}` };
    const { access_token } = await obtainTokens(http, { ...scene, email }, flow);
    const list = await listWith(http, '/profiles', access_token);
    expect(list.json()._pagination.total_items).toBe(3);
  });
});

describe('the token', () => {
  const sending = (authorization: string) =>
    http.app.inject({ url: '/profiles', headers: { authorization } });

  test('RS-01, LI-10: without one, the challenge names no error', async () => {
    for (const answer of [await http.app.inject({ url: '/profiles' }), await sending('Basic abc')]) {
      expect([answer.statusCode, reason(answer)]).toEqual([401, 'token-missing']);
      expect(answer.headers['www-authenticate']).toBe(`Bearer realm="grantbook", ${metadata}`);
    }
  });

  test.each(['bearer', 'BEARER', 'Bearer'])('RS-03: the scheme may be written %s', async (scheme) => {
    expect((await sending(`${scheme} ${token}`)).statusCode).toBe(200);
  });

  test('RS-01, LI-10: one changed letter is token-unknown, a refresh token is too', async () => {
    const changed = token.slice(0, -3) + (token.at(-3) === 'A' ? 'B' : 'A') + token.slice(-2);
    const answer = await sending(`Bearer ${changed}`);
    expect([answer.statusCode, reason(answer)]).toEqual([401, 'token-unknown']);
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    const flow = { subject: 'user', change: { prompt: 'consent' } };
    const tokens = await obtainTokens(http, scene, flow);
    expect(reason(await sending(`Bearer ${tokens.refresh_token}`))).toBe('token-unknown');
  });

  test('LI-10: deactivated and expired are distinguished, each with a page that explains it', async () => {
    const own = await startHttpApp({ lifetimes: { accessToken: 60_000 } });
    const theirs = await setScene(own);
    await activate(own, theirs);
    const { organizationId, clientId: addonId, userId } = theirs;
    const { access_token } = await obtainTokens(own, theirs, { subject: `organization:${organizationId}` });
    const list = () => listWith(own, '/profiles', access_token);
    await own.commands.deactivateAddon({ organizationId, addonId, by: userId });
    expect(reason(await list())).toBe('addon-deactivated');
    own.advance(61_000);
    const answer = await list();
    expect(reason(answer)).toBe('token-expired');
    const { type, instance } = answer.json<{ type: string; instance: string }>();
    const explained = await own.app.inject({ url: type.replace(own.baseUrl, '') });
    expect(explained.statusCode).toBe(200);
    const [, traceId, requestId] = /^urn:trace:(.*):(.*)$/.exec(instance) ?? [];
    expect(own.lines.map(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ traceId, requestId, status: 401 }),
    );
    await own.close();
  });

  test('RS-02: while the fence cannot be trusted, the check fails closed', async () => {
    http.setTrusted(false);
    const answer = await get('/profiles');
    const notReady = await http.app.inject({ url: '/health/ready' });
    http.setTrusted(true);
    expect([answer.statusCode, reason(answer)]).toEqual([503, 'temporarily-unavailable']);
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    expect(notReady.statusCode).toBe(503);
    expect(notReady.json()).toMatchObject({ checks: { tokens: expect.stringMatching(/^not accepted/) } });
    const ready = await http.app.inject({ url: '/health/ready' });
    expect(ready.json()).toEqual({ status: 'ready', checks: { projections: 'ok', tokens: 'accepted' } });
  });
});
