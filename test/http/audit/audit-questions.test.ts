import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { auditStream, logCopyStream } from '../../../src/domain/streams.ts';
import { EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import type { HttpParts } from '../../../src/compose/server.ts';
import { startHttpApp, type OwnHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  createUser,
  listWith,
  obtainTokens,
  setScene,
  signedIn,
  type Scene,
  type Tokens,
} from '../../support/scenes/http-scene.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { testBrowser, type TestBrowser } from '../../support/scenes/pages.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

let http: OwnHttpApp;
let scene: Scene;
let other: Scene;
let tokens: Tokens;
let auditor: TestBrowser;
let auditorId: string;
let isAway = false;
/** What exposures wait for. */
let held: Promise<void> | undefined;

const day = 86_400_000;

beforeAll(async () => {
  const store = memoryStore({
    beforeAppend: (stream) => {
      if (isAway && stream.startsWith('audit-')) throw new EventStoreUnavailable('away');
    },
  });
  const prepared = { waitMs: 200, most: 1, mostForOne: 1 };
  const around = (dependencies: HttpParts): HttpParts => ({
    ...dependencies,
    async exposure(request, signal, passed) {
      await held;
      return dependencies.exposure(request, signal, passed);
    },
  });
  http = await startHttpApp({ store, lifetimes: { refreshIdle: 300 * day }, prepared, around });
  scene = await setScene(http);
  other = await setScene(http);
  await activate(http, scene);
  await activate(http, other);
  tokens = await obtainTokens(http, scene, { subject: `organization:${scene.organizationId}` });
  const email = 'audrey@harbour.example';
  const audrey = { name: 'Audrey', roles: ['auditor' as const], auditorOf: [scene.organizationId] };
  auditorId = await createUser(http, email, [], audrey);
  auditor = await signedIn(http, { email });
  await http.settle();
});
afterAll(() => http.close());
beforeEach(() => void (isAway = false));

const at = (view: string, query = '', organizationId = scene.organizationId) =>
  `/audit/${view}?organization=${organizationId}${query}`;
const views = ['questions', 'exposure', 'unused', 'log'];
const page = async (url: string): Promise<string> => {
  const { statusCode, body } = await auditor.get(url);
  expect([url, statusCode]).toEqual([url, 200]);
  return body;
};
/** Where a page says that its answer is being prepared, it loads this address; null for any other page. */
const nextOf = (body: string): string | null =>
  /http-equiv="refresh" content="\d+; url=([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? null;
/** The page with its answer, however long that takes. */
const answered = async (url: string): Promise<string> => {
  const body = await page(url);
  const next = nextOf(body);
  return next === null ? body : answered(next);
};
/** Without markup, so that only words and their order count. */
const wordsOf = (body: string) =>
  (body.split('<main')[1] ?? '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll('&nbsp;', ' ');
const noted = async () =>
  (await http.store.read(auditStream(auditorId))).events.map(({ event }) => event.data);

describe('HI-05: reads of lists', () => {
  test('HI-05: each answered page is counted, a refused one is not, and 304 and HEAD have no records', async () => {
    const answered = await listWith(http, '/profiles?per_page=10', tokens.access_token);
    const { etag } = answered.headers;
    const again = { authorization: `Bearer ${tokens.access_token}`, 'if-none-match': String(etag) };
    const unchanged = await http.app.inject({ url: '/profiles?per_page=10', headers: again });
    const head = await http.app.inject({ method: 'HEAD', url: '/profiles', headers: again });
    const refused = [
      await listWith(http, '/profiles?per_page=1000', tokens.access_token),
      await listWith(http, '/profiles', 'mkt_at_nobody'),
    ];
    expect([answered, unchanged, head, ...refused].map(({ statusCode }) => statusCode)).toEqual([
      200, 304, 304, 400, 401,
    ]);
    await http.storeReads();
    const { rows } = await http.pool.query(
      'select list, counts[array_lower(counts, 1)] as pages from list_reads',
    );
    expect(rows).toEqual([{ list: 2, pages: 3 }]);
  });

  test('HI-05: the page of an add-on tells what it could read and what it read, from where', async () => {
    const body = wordsOf(await answered(at('exposure', `&addon=${scene.clientId}`)));
    expect(body).toMatch(/What Door Sync could read From .* profiles .* still open at the end/);
    expect(body).toMatch(/What it read .* profiles 3 0 127\.0\.0\.0\/24 /);
    expect((await noted()).at(-1)).toMatchObject({
      organizationId: scene.organizationId,
      query: 'exposure',
      parameters: [
        { name: 'addon', value: scene.clientId },
        { name: 'days', value: '30' },
      ],
    });
    const before = wordsOf(
      await answered(at('exposure', `&addon=${scene.clientId}&from=2026-01-01&to=2026-01-02`)),
    );
    expect(before).toMatch(/could read From .* Nothing\. What it read .* Nothing\./);
  });

  test('FX-34: an answer that takes long is prepared meanwhile, and the page loads it', async () => {
    let release = () => {};
    held = new Promise((resolve) => (release = resolve));
    const before = (await noted()).length;
    const first = await page(at('exposure', `&addon=${scene.clientId}&from=2026-01-01`));
    expect(wordsOf(first)).toMatch(/The answer is being prepared 0 events read\./);
    const again = nextOf(first) ?? '';
    expect(first).toContain(`<a href="${again.replaceAll('&', '&amp;')}">Reload</a>`);
    expect(wordsOf(await page(again))).toMatch(/The answer is being prepared/);
    const other = wordsOf(await page(at('exposure', `&addon=${scene.clientId}&from=2026-01-02`)));
    expect(other).toMatch(/Other answers are being prepared; this one is next\./);
    release();
    held = undefined;
    await expect.poll(async () => wordsOf(await page(again))).toMatch(/What Door Sync could read From/);
    expect((await noted()).slice(before), 'the search is recorded once').toMatchObject([
      { query: 'exposure' },
    ]);
  });

  test('HI-05: who allowed a grant and when it was last used stand in its row', async () => {
    await http.tellHistory();
    const body = wordsOf(await page(at('grants')));
    expect(body).toMatch(/Door Sync Ada Ahoi .* read today [\d:]+ ; token today [\d:]+ Not yet/);
  });
});

describe('HI-05: unused access', () => {
  test('HI-05: is reported as soon as nothing was read for so long, however often tokens were refreshed', async () => {
    const listed = async (countedSince: number) => {
      const unused = { since: Date.now() - 90 * day, countedSince };
      return (await http.readModels.grants({ unused }, { after: null, limit: 10 })).length;
    };
    expect(wordsOf(await page(at('unused')))).toMatch(/Access unused for 90 days .* None\./);
    await http.pool.query('update migrations set ran_at = $1', [new Date(Date.now() - 350 * day)]);
    await http.pool.query('update list_reads set last_at = last_at - $1::bigint', [91 * day]);
    expect(wordsOf(await page(at('unused')))).toMatch(/Door Sync Ada Ahoi .* today [\d:]+ /);
    expect(wordsOf(await page(at('unused', '&days=92')))).toContain('None.');
    await http.pool.query('delete from list_reads');
    expect(wordsOf(await page(at('unused'))), 'never read, but issued today').toContain('None.');
    await http.pool.query('update grants set issued_at = issued_at - $1::bigint', [100 * day]);
    expect(wordsOf(await page(at('unused')))).toContain('No read known');
    expect(await listed(Date.now() - 350 * day), 'grant list says the same').toBe(1);
    await http.pool.query(`update grants set scopes = '["openid"]'`);
    expect(wordsOf(await page(at('unused'))), 'it opens no list').toContain('None.');
    await http.pool.query(`update grants set scopes = '["openid", "profiles:read"]'`);
    expect(wordsOf(await page(at('unused')))).toContain('No read known');
    await http.pool.query('update migrations set ran_at = now()');
    expect(wordsOf(await page(at('unused'))), 'tokens are the witness of before').toContain('None.');
    expect(await listed(Date.now())).toBe(0);
    expect(await noted()).toContainEqual(
      expect.objectContaining({ query: 'grants', parameters: [{ name: 'days', value: '90' }] }),
    );
  });

  test('HI-05: what has ended or expired is not answered', async () => {
    await http.pool.query('update migrations set ran_at = $1', [new Date(Date.now() - 350 * day)]);
    await http.pool.query(
      `update grants set refreshed_at = redeemed_at - $1::bigint, redeemed_at = redeemed_at - $1::bigint,
         expires_at = expires_at - $1::bigint`,
      [301 * day],
    );
    expect(wordsOf(await page(at('unused')))).toContain('None.');
    await http.pool.query(`update grants set expires_at = expires_at + $1::bigint`, [301 * day]);
    expect(wordsOf(await page(at('unused')))).toContain('Door Sync');
    await http.pool.query(`update grants set status = 'ended'`);
    expect(wordsOf(await page(at('unused')))).toContain('None.');
  });
});

test('what was compared with the signed heads is reported, with the head of a day', async () => {
  expect(wordsOf(await page(at('log', '&from=2026-03-01')))).toMatch(/no signed head.*not been compared/);
  const head = (size: number, time: string) => ({
    event: {
      type: 'LogHeadSigned' as const,
      data: {
        size,
        root: String(size % 10).repeat(64),
        position: '1/1',
        previousSize: 0,
        proof: [],
        at: Date.parse(time),
        jws: 'a.b.c',
      },
    },
  });
  const heads = [
    head(11, '2026-02-01'),
    head(22, '2026-02-27'),
    head(33, '2026-03-02'),
    head(44, '2026-04-01'),
  ];
  await http.store.append('logHead-log', 'no-stream', heads);
  await http.pool.query(
    `insert into log_checks (kind, size, root, commit_position, prepare_position, removed, checked_at)
     values ('verified', 40, 'r', 1, 1, '{"session": 2}', '2026-04-02T00:00:00Z')`,
  );
  const body = wordsOf(await page(at('log', '&from=2026-03-01')));
  expect(body).toMatch(/By 1 March 2026.*: 22 events, signed 27 February 2026/);
  expect(body).toMatch(/Newest signed head: 44 events/);
  expect(body).toMatch(/first 40 events matched .* 2 April 2026 .* head of that time was among them/);
  expect(body).toMatch(/removed: session : 2 events No other event was missing/);
  expect(wordsOf(await page(at('log', '&from=2026-01-01')))).toContain('no signed head.');
});

test('PG-22: the auditor’s home is the five questions as forms, with an example each', async () => {
  const home = await page('/audit');
  const second = await createUser(http, 'second@harbour.example', [], {
    roles: ['auditor'],
    auditorOf: [scene.organizationId, other.organizationId],
  });
  await http.settle();
  const ofTwo = (await (await signedIn(http, { email: 'second@harbour.example' })).get('/audit')).body;
  expect(second).toMatch(/^\w{26}$/);
  for (const body of [home, await page(at('questions')), ofTwo]) {
    const forms = [...body.matchAll(/<form method="get" action="([^"]+)"[^]*?<\/form>/g)];
    expect(forms.map(([, action]) => action)).toEqual([
      '/audit/exposure',
      '/audit/grants',
      '/audit/log',
      '/audit/unused',
      '/audit',
    ]);
    const one =
      body === ofTwo
        ? `<option value="${scene.organizationId}"`
        : `<input type="hidden" name="organization" value="${scene.organizationId}">`;
    for (const [form] of forms) expect(form).toContain(one);
    const examples = [...body.matchAll(/Example: <a href="([^"]+)">([^]*?)<\/a>/g)];
    expect(examples.map(([, , words = '']) => words.replaceAll(/<[^>]*>/g, ''))).toEqual([
      expect.stringMatching(/^Door Sync.*, in the last 30 days$/),
      'the last 90 days',
      expect.stringMatching(/^since \d+ \w+ \d{4}$/),
      'the last 30 days',
      'break-glass (on the command line)',
    ]);
    for (const [, href = ''] of examples)
      expect(nextOf(await page(href.replaceAll('&amp;', '&'))) ?? 'answered').toBeDefined();
  }
  expect(home).toContain(`<a href="/audit?organization=${scene.organizationId}">`);
  await http.tellHistory();
  const acted = await page(`/audit?organization=${scene.organizationId}&actor=${scene.userId}`);
  expect(wordsOf(acted)).toContain('was activated for');
});

test('they are for auditors of the organization alone, change nothing, and nothing is answered without the event', async () => {
  expectTrouble(/^warn: request failed: temporarily unavailable/);
  const ada = await signedIn(http, scene);
  for (const view of views) {
    expect((await auditor.get(at(view, '', other.organizationId))).statusCode).toBe(403);
    expect((await ada.get(at(view))).statusCode).toBe(403);
    expect((await testBrowser(http.app).get(at(view))).statusCode).toBe(303);
    const cookies = Object.fromEntries(auditor.cookies);
    expect((await http.app.inject({ method: 'POST', url: at(view), cookies })).statusCode).toBe(405);
    const before = (await noted()).length;
    const elsewhere = await http.app.inject({
      url: at(view),
      cookies,
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect([elsewhere.statusCode, (await noted()).length]).toEqual([200, before]);
    expect(elsewhere.body).toContain('Open the audit log?');
  }
  isAway = true;
  for (const url of [
    at('exposure', `&addon=${scene.clientId}&to=2026-02-03`),
    at('unused', '&days=7'),
    at('log', '&from=2026-02-03'),
  ]) {
    const { statusCode, body } = await auditor.get(url);
    expect([url, statusCode, body.includes('Harbour Club')]).toEqual([url, 503, false]);
  }
});

test.each([
  ['exposure', 'addon=x', 'addon'],
  ['exposure', 'from=2026-02-01&to=2026-01-01', 'to'],
  ['unused', 'days=-1', 'days'],
  ['unused', 'days=9999', 'days'],
  ['unused', 'after_grant=x', 'after_grant'],
  ['log', 'from=yesterday', 'from'],
  ['questions', 'from=2026-01-01', 'from'],
])('/audit/%s?%s is refused and named', async (view, query, parameter) => {
  const { statusCode, body } = await auditor.get(at(view, `&${query}`));
  expect([statusCode, body.includes(`<code>${parameter}</code>`)]).toEqual([400, true]);
});

describe('a time of which nothing can be said', () => {
  const copied = Date.now() - day;
  const later = new Date(Date.now() + day).toISOString();
  const today = new Date().toISOString().slice(0, 10);
  const answers = [
    ['/audit', ''],
    ['/audit/grants', ''],
    ['/audit/exposure', `&addon=${'0'.repeat(26)}`],
  ] as const;
  const pageOf = (path: string, query: string) => `${path}?organization=${scene.organizationId}${query}`;
  const asJson = (view: string, query: string) =>
    auditor.get(`/audit/organizations/${scene.organizationId}/${view}?${query}`);
  const answerTo = async (url: string) => {
    const before = (await noted()).length;
    const { statusCode, body } = await auditor.get(url);
    return { statusCode, body, noted: (await noted()).length - before };
  };
  const refused = (parameter: string, allowed: string) => ({
    statusCode: 400,
    body: expect.stringContaining(`<code>${parameter}</code>: allowed is ${allowed}`) as unknown,
    noted: 0,
  });

  test.each([
    ...answers.map((one) => [...one, 'from'] as const),
    ...answers.map((one) => [...one, 'to'] as const),
    ['/audit/log', '', 'from'] as const,
  ])('%s%s refuses %s to come', async (path, about, parameter) => {
    expect(await answerTo(pageOf(path, `${about}&${parameter}=${later}`))).toEqual(
      refused(parameter, 'a time that is not in the future'),
    );
  });

  test('of today is meant what has passed of it', async () => {
    for (const [path, about] of answers)
      expect(await answerTo(pageOf(path, `${about}&from=${today}&to=${today}`))).toMatchObject({
        statusCode: 200,
      });
  });

  test('a time before the log was copied from another one is refused; heads have times of their own', async () => {
    const head = { size: 1, root: 'r', position: '1/1', previousSize: 0, proof: [], at: 1, jws: 'a.b.c' };
    const data = { events: 1, streams: 1, streamsLeftOut: 0, head, at: copied, jws: 'a.b.c' };
    await http.store.append(logCopyStream, 'no-stream', [{ event: { type: 'LogCopied', data } }]);
    const [early, since] = [new Date(copied - 1), new Date(copied)].map((time) => time.toISOString());
    for (const [path, about] of answers) {
      expect(await answerTo(pageOf(path, `${about}&from=${early}`))).toEqual(
        refused('from', `a time from ${since} on`),
      );
      await page(pageOf(path, `${about}&from=${since}`));
    }
    expect((await asJson('timeline', `to=${early}`)).statusCode).toBe(400);
    await page(pageOf('/audit/log', `&from=${early}`));
  });
});
