import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accountStream, activationStream, auditStream, grantStream } from '../../../src/domain/streams.ts';
import { EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import { timelineQuery } from '../../../src/http/contracts/audit.ts';
import { namesOf } from '../../../src/http/contracts/parameters.ts';
import { zoneCookie } from '../../../src/http/pages/page-script.ts';
import { startHttpApp, type OwnHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  createUser,
  obtainTokens,
  password,
  setScene,
  signedIn,
  type Scene,
} from '../../support/scenes/http-scene.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { valueOf } from '../../support/outcomes.ts';
import { testBrowser, type TestBrowser } from '../../support/scenes/pages.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

let http: OwnHttpApp;
let scene: Scene;
let other: Scene;
let audrey: { readonly userId: string; readonly browser: TestBrowser };
let ada: TestBrowser;
let isAway = false;

const auditor = async (email: string, auditorOf: readonly string[]) => {
  const userId = await createUser(http, email, [], { name: 'Audrey Audit', auditorOf, roles: ['auditor'] });
  const browser = await signedIn(http, { email });
  return { userId, browser };
};

beforeAll(async () => {
  const store = memoryStore({
    beforeAppend: (stream) => {
      if (isAway && stream.startsWith('audit-')) throw new EventStoreUnavailable('away');
    },
  });
  http = await startHttpApp({ store });
  scene = await setScene(http);
  other = await setScene(http);
  const second = await setScene(http, { name: 'Tide Clock' });
  const inHarbour = { ...scene, clientId: second.clientId };
  ada = testBrowser(http.app);
  await ada.signIn(scene.email, password);
  for (const one of [scene, inHarbour]) {
    await activate(http, one);
    await obtainTokens(http, one, { browser: ada, subject: `organization:${scene.organizationId}` });
  }
  await activate(http, other);
  await obtainTokens(http, other, { subject: `organization:${other.organizationId}` });
  const ended = { organizationId: scene.organizationId, addonId: scene.clientId, by: scene.userId };
  await http.commands.deactivateAddon(ended);
  await noteEnd(store);
  audrey = await auditor('audrey@harbour.example', [scene.organizationId]);
  await http.settle();
  await http.tellHistory();
});
afterAll(() => http.close());
beforeEach(() => {
  isAway = false;
});

/** What the reaction would say, which does not run here: the grants of the add-on that was deactivated have ended. */
const noteEnd = async (store: ReturnType<typeof memoryStore>): Promise<void> => {
  for (const { stream, event } of store.all()) {
    if (event.type !== 'AuthorizationCodeIssued' || event.data.addonId !== scene.clientId) continue;
    const { revision } = await store.read(stream);
    const data = { reason: 'addon-deactivated' as const, at: Date.now() };
    await store.append(stream, revision, [{ event: { type: 'GrantRevoked', data } }]);
  }
};

const orgOf = (organizationId: string) => `/audit/organizations/${organizationId}`;
const timeline = (query = '', organizationId = scene.organizationId) =>
  `${orgOf(organizationId)}/timeline${query === '' ? '' : `?${query}`}`;
const nowhere = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

type Entry = {
  readonly position: string;
  readonly type: string;
  readonly concerns: readonly { id: string }[];
};
type Page = { readonly entries: readonly Entry[]; readonly _links: readonly { rel: string; href: string }[] };
const read = async (url: string, browser = audrey.browser): Promise<Page> => {
  const answer = await browser.get(url);
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`);
  return answer.json();
};
const problemOf = async (url: string, browser = audrey.browser) => {
  const { statusCode, body } = await browser.get(url);
  const { type, errors } = JSON.parse(body) as { type: string; errors?: readonly { parameter: string }[] };
  return [statusCode, type.replace(/.*\//, ''), ...(errors ?? []).map(({ parameter }) => parameter)];
};
const noted = async (by = audrey.userId) =>
  (await http.store.read(auditStream(by))).events.map(({ event }) => event.data);

describe('the auditors’ JSON API', () => {
  test('FX-34: an auditor’s token reads what its account may read, and nothing else does', async () => {
    const tokenOf = async (userId: string, organizationId: string | null = null) => {
      const name = organizationId ?? 'of all';
      const asked = { userId, organizationId, name, days: 1, by: 'break-glass' };
      return valueOf(await http.commands.issueAdministratorToken(asked));
    };
    const get = async (url: string, token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const { statusCode, body } = await http.app.inject({ url, headers });
      return { statusCode, ...(JSON.parse(body) as { type?: string; entries?: unknown; items?: unknown }) };
    };
    const { token, tokenId } = await tokenOf(audrey.userId);
    const before = (await noted()).length;
    expect(await get(timeline(), token)).toMatchObject({
      statusCode: 200,
      entries: expect.any(Array) as unknown,
    });
    expect(await get('/audit/organizations', token)).toMatchObject({
      items: [{ organization_id: scene.organizationId }],
    });
    expect((await noted()).slice(before)).toMatchObject([{ query: 'timeline' }, { query: 'organizations' }]);
    expect(await get(timeline('', other.organizationId), token)).toMatchObject({ statusCode: 403 });
    expect(await get(timeline(), (await tokenOf(scene.userId)).token)).toMatchObject({ statusCode: 403 });
    const narrow = await tokenOf(scene.userId, scene.organizationId);
    expect(await get(timeline(), narrow.token)).toMatchObject({
      statusCode: 403,
      type: expect.stringContaining('for-another-organization') as string,
    });
    expect(await get(timeline(), 'mkt_admin_no')).toMatchObject({ statusCode: 401 });
    await http.commands.revokeAdministratorToken({ userId: audrey.userId, tokenId, by: audrey.userId });
    expect(await get(timeline(), token)).toMatchObject({
      statusCode: 401,
      type: expect.stringContaining('revoked') as string,
    });
  });

  test('lists the organizations that were given to the auditor, and notes the question', async () => {
    const before = (await noted()).length;
    const { items } = (await audrey.browser.get('/audit/organizations')).json();
    expect(items).toEqual([
      { organization_id: scene.organizationId, name: expect.stringMatching(/^Harbour/) },
    ]);
    expect((await noted()).slice(before)).toMatchObject([
      { organizationId: null, query: 'organizations', parameters: [] },
    ]);
  });

  test('CL-08: each name in a sentence is isolated by itself, so that an Arabic one does not turn the words around it', async () => {
    const name = 'بوابة الميناء';
    const scene = await setScene(http, { name });
    await activate(http, scene);
    await http.tellHistory();
    const { browser } = await auditor('salma@harbour.example', [scene.organizationId]);
    const { body } = await browser.get(`/audit?organization=${scene.organizationId}`);
    expect(body).toMatch(
      new RegExp(`addon=${scene.clientId}"><bdi>${name}</bdi></a> was activated for <bdi>Harbour Club`),
    );
    expect(body).toMatch(/by <a href="[^"]*"><bdi>Ada Ahoi<\/bdi><\/a>/);
    expect(body.split('<main')[1]).not.toMatch(/<bdi>[^<]*(was activated|\()/);
  });

  test('all filters have to hold, and are noted with the question', async () => {
    const before = (await noted()).length;
    const about = await read(timeline(`addon=${scene.clientId}&user=${scene.userId}&limit=100`));
    expect(about.entries.length).toBeGreaterThan(2);
    for (const { concerns } of about.entries)
      expect(concerns.map(({ id }) => id)).toEqual(
        expect.arrayContaining([scene.organizationId, scene.clientId, scene.userId]),
      );
    const ended = await read(timeline(`type=AddonDeactivated&actor=${scene.userId}&from=2026-01-01`));
    expect(ended.entries.map(({ type }) => type)).toEqual(['AddonDeactivated']);
    expect((await read(timeline('to=1999-12-31'))).entries).toEqual([]);
    expect((await read(timeline(`addon=${other.clientId}`))).entries).toEqual([]);
    expect((await noted())[before]).toMatchObject({
      organizationId: scene.organizationId,
      query: 'timeline',
      parameters: [
        { name: 'addon', value: scene.clientId },
        { name: 'user', value: scene.userId },
        { name: 'limit', value: '100' },
      ],
    });
  });

  test('shows grants from issue to end, older ones by a link', async () => {
    type Grants = {
      grants: { addon: { id: string }; reason: string | null; ended_at: string | null }[];
      _links: { href: string }[];
    };
    const { grants } = (await audrey.browser.get(`${orgOf(scene.organizationId)}/grants`)).json() as Grants;
    expect(grants).toMatchObject([
      { addon: { id: scene.clientId }, reason: 'addon-deactivated', ended_at: expect.any(String) },
      { reason: null, ended_at: null },
    ]);
    const newest = (
      await audrey.browser.get(`${orgOf(scene.organizationId)}/grants?limit=1`)
    ).json() as Grants;
    expect(newest.grants).toEqual(grants.slice(1));
    const older = await audrey.browser.get(String(newest._links[0]?.href.slice(http.baseUrl.length)));
    expect((older.json() as Grants).grants).toEqual(grants.slice(0, 1));
    const ofOne = await audrey.browser.get(`${orgOf(scene.organizationId)}/grants?addon=${scene.clientId}`);
    expect((ofOne.json() as Grants).grants).toEqual(grants.slice(0, 1));
  });

  test('is for auditors of the organization alone: others, and unknown organizations, are refused alike', async () => {
    const before = http.store.head();
    const refused = [403, 'not-an-auditor'];
    const urls = (organizationId: string) => [
      timeline('', organizationId),
      `${orgOf(organizationId)}/grants`,
    ];
    for (const url of [...urls(other.organizationId), ...urls(nowhere)]) {
      expect(await problemOf(url)).toEqual(refused);
      expect(await problemOf(url, ada)).toEqual(refused);
    }
    const [foreign, unknown] = await Promise.all(
      [other.organizationId, nowhere].map((id) => audrey.browser.get(timeline('', id))),
    );
    const shown = ({ body }: { body: string }) => ({ ...(JSON.parse(body) as object), instance: null });
    expect(foreign && shown(foreign)).toEqual(unknown && shown(unknown));
    expect(await problemOf('/audit/organizations', ada)).toEqual(refused);
    expect(await problemOf(timeline(), testBrowser(http.app))).toEqual([401, 'sign-in-required']);
    expect(await http.store.head(), 'what is refused is not noted').toEqual(await before);
  });

  test('a removed auditor sees nothing once the call has returned', async () => {
    const { userId, browser } = await auditor('aubrey@harbour.example', [scene.organizationId]);
    expect((await browser.get(timeline())).statusCode).toBe(200);
    await http.commands.removeAuditor({ organizationId: scene.organizationId, userId });
    expect(await problemOf(timeline(), browser)).toEqual([403, 'not-an-auditor']);
    expect((await browser.get('/audit/organizations')).json()).toEqual({ items: [] });
    expect((await browser.get(`/audit?organization=${scene.organizationId}`)).statusCode).toBe(403);
  });

  test('without the event there is no answer', async () => {
    expectTrouble(/^warn: request failed: temporarily unavailable/);
    const { browser } = await auditor('first@harbour.example', [scene.organizationId]);
    isAway = true;
    for (const url of [timeline(), `${orgOf(scene.organizationId)}/grants`, '/audit/organizations'])
      expect(await problemOf(url, browser)).toEqual([503, 'temporarily-unavailable']);
    for (const url of ['/audit', `/audit?organization=${scene.organizationId}`]) {
      const { statusCode, body } = await browser.get(url);
      expect([statusCode, body.includes('Harbour Club')]).toEqual([503, false]);
    }
  });

  test('an auditor changes nothing', async () => {
    const activation = `/organizations/${scene.organizationId}/addons/${scene.clientId}/activation`;
    const cookies = Object.fromEntries(audrey.browser.cookies);
    for (const method of ['PUT', 'DELETE'] as const)
      expect((await http.app.inject({ method, url: activation, cookies })).statusCode).toBe(403);
  });
});

describe('bad input', () => {
  test.each([
    ['grant=', 'grant'],
    ['from=yesterday', 'from'],
    ['cursor=1', 'cursor'],
  ])('%s is refused and named, and nothing is noted', async (query, parameter) => {
    const before = (await noted()).length;
    expect(await problemOf(timeline(query))).toEqual([400, 'invalid-parameters', parameter]);
    const page = await audrey.browser.get(`/audit?organization=${scene.organizationId}&${query}`);
    const expected = query === 'grant=' ? 200 : 400; // a field of a form that was left empty
    expect([page.statusCode, page.body.includes(`<code>${parameter}</code>`)]).toEqual([
      expected,
      expected === 400,
    ]);
    expect((await noted()).length - before).toBe(expected === 400 ? 0 : 1);
  });

  test('an organization that cannot be one is refused before anything is read', async () => {
    for (const id of ['x', '..%2f..', `${scene.organizationId}x`])
      expect(await problemOf(timeline('', id))).toEqual([400, 'invalid-parameters', 'organization_id']);
    for (const id of ['x', '%00', other.organizationId, nowhere])
      expect((await audrey.browser.get(`/audit?organization=${id}`)).statusCode).toBe(403);
    const twice = `organization=${scene.organizationId}`;
    expect((await audrey.browser.get(`/audit?${twice}&${twice}`)).statusCode).toBe(400);
  });

  test('whatever is sent, the answer is one that is described, and never a 500', async () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(
        scene.clientId,
        '9'.repeat(20),
        '0/0',
        'end',
        '0000-01-01',
        '9999-12-31T23:59:59.999999999-23:59',
        'operator',
        '1',
      ),
    );
    const query = fc.array(fc.tuple(fc.constantFrom(...namesOf(timelineQuery)), value), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(query, async (pairs) => {
        const sent = new URLSearchParams(pairs.map(([name, text]) => [name, text])).toString();
        const urls = [
          timeline(sent),
          `${orgOf(scene.organizationId)}/grants?${sent}`,
          `/audit/grants?organization=${scene.organizationId}&${sent}`,
        ];
        for (const url of urls) expect([200, 400]).toContain((await audrey.browser.get(url)).statusCode);
      }),
      propertyRuns(15),
    );
  });
});

describe('the page', () => {
  const here = () => `/audit?organization=${scene.organizationId}`;

  test('a sign-in leads an auditor who administers nothing to the histories', async () => {
    const browser = testBrowser(http.app);
    const answer = await browser.press(await browser.get('/sign-in'), 'Sign in', {
      email: 'audrey@harbour.example',
      password,
    });
    expect(answer.headers.location).toBe('/');
    expect((await browser.get('/sign-in')).headers.location).toBe('/');
    expect((await ada.get('/sign-in')).headers.location).toBe('/');
    expect((await ada.get('/')).headers.location).toBe('/admin');
    expect((await browser.get('/')).headers.location).toBe('/audit');
    const list = await browser.follow(answer);
    expect(list.body).toContain(`href="/audit?organization=${scene.organizationId}"`);
    const kept = await testBrowser(http.app).get(`${here()}&type=AddonActivated`);
    expect(kept.headers.location).toContain(encodeURIComponent('type=AddonActivated'));
  });

  test('shows the newest events in plain words, with the filters as they were sent', async () => {
    const { body } = await audrey.browser.get(`${here()}&addon=${scene.clientId}&type=AddonDeactivated`);
    expect(body).toContain('was deactivated for');
    expect(body).toMatch(/by <a [^>]*><bdi>Ada Ahoi/);
    expect(body).toContain(`<option value="${scene.clientId}" selected>`);
    expect(body).toContain('<option value="AddonDeactivated" selected>');
    expect(body.match(/<ol class="events">[^]*<\/ol>/)?.[0].match(/<li>/g)).toHaveLength(1);
  });

  test('PG-09, AP-09: a person is found by name or e-mail address, among those of the organization’s events alone', async () => {
    const found = async (query: string) => {
      const before = (await noted()).length;
      const { statusCode, body } = await audrey.browser.get(`${here()}&type=AddonActivated&${query}`);
      const asked = (await noted())[before];
      const parameters = asked && 'parameters' in asked ? asked.parameters : [];
      return { statusCode, body, sent: parameters.map(({ name, value }) => `${name}=${value}`) };
    };
    for (const query of [`user=${scene.email}`, `actor=${scene.email.toUpperCase()}`]) {
      const [name = ''] = query.split('=');
      const { statusCode, body, sent } = await found(query);
      expect([statusCode, sent]).toEqual([
        200,
        expect.arrayContaining([`${name}=${scene.userId}`]) as unknown,
      ]);
      expect(body).toContain('was activated for');
      expect(body).toContain(`value="${query.slice(name.length + 1)}"`);
    }
    await createUser(http, 'second.ada@harbour.example', [scene.organizationId]);
    await http.settle();
    await http.tellHistory();
    const several = await found('user=Ada%20Ahoi');
    expect([several.statusCode, several.sent]).toEqual([400, []]);
    const ids = [...several.body.matchAll(/<a href="([^"]*)"><bdi class="name">Ada Ahoi<\/bdi><\/a>/g)];
    expect(ids.map(([, href]) => href)).toContain(
      `${here()}&type=AddonActivated&user=${scene.userId}`.replaceAll('&', '&amp;'),
    );
    expect(several.body).not.toContain(other.userId);
    for (const query of [`user=${other.email}`, 'user=nobody@harbour.example', 'user=Nobody']) {
      const { statusCode, body, sent } = await found(query);
      expect([query, statusCode, sent]).toEqual([query, 400, []]);
      const said = /@/.test(query)
        ? /Nobody in this log has the e-mail address <bdi>[^<]+<\/bdi>\./
        : /Nobody in this log is called &quot;<bdi>Nobody<\/bdi>&quot;\. Try an e-mail address\./;
      expect(body).toMatch(said);
      expect(body).toContain('>Clear filters</a>');
    }
  });

  test('FX-96: a day of a filter is one of the reader’s zone, the record has its moments, and links come back to the day', async () => {
    const { browser, userId } = audrey;
    const before = (await noted()).length;
    const ask = async (query: string) => {
      browser.cookies.set(zoneCookie, 'Europe/Berlin');
      const answer = await browser.get(`${here()}&${query}`);
      browser.cookies.delete(zoneCookie);
      return answer;
    };
    const { statusCode, body } = await ask('from=2026-03-01&to=2026-03-29');
    expect(statusCode).toBe(200);
    expect(body).toContain('name="from"');
    for (const day of ['2026-03-01', '2026-03-29']) expect(body).toContain(`value="${day}"`);
    const asked = (await noted())[before];
    expect(asked && 'parameters' in asked && asked.parameters).toEqual([
      { name: 'from', value: '2026-02-28T23:00:00.000Z' },
      { name: 'to', value: '2026-03-29T21:59:59.999Z' },
      expect.anything(),
    ]);
    const link = await ask('from=2026-02-28T23:00:00.000Z&to=2026-03-29T21:59:59.999Z');
    expect(link.body).toMatch(/type="date"[^>]*value="2026-03-01"[^]*type="date"[^>]*value="2026-03-29"/);
    const wrong = await ask('from=2026-02-30');
    expect([wrong.statusCode, /id="from"[^>]*|2026-02-30/.test(wrong.body)]).toEqual([400, true]);
    await http.settle();
    await http.tellHistory();
    const searches = await ask(`type=AuditQueried&actor=${userId}`);
    expect(searches.body).toMatch(/ 1\s?–\s?29 March 2026\./);
  });

  test('FX-85: a name is no answer even where one person of the audit log has it, and a text with @ is no name', async () => {
    const of = async (user: string) => {
      const before = (await noted()).length;
      const query = new URLSearchParams({ type: 'AddonActivated', user }).toString();
      const { statusCode, body } = await audrey.browser.get(`${here()}&${query}`);
      return { statusCode, isNoted: (await noted()).length > before, body };
    };
    const only = await createUser(http, 'only@harbour.example', [scene.organizationId], { name: 'Only One' });
    const stranger = await createUser(http, 'stranger@harbour.example', [scene.organizationId]);
    const stream = accountStream(stranger);
    const { revision } = await http.store.readBack(stream, 'end', 1);
    const data = { name: 'root@harbour.example', at: 1 };
    await http.store.append(stream, revision, [{ event: { type: 'AccountRenamed', data } }]);
    await http.settle();
    await http.tellHistory();
    const offered = await of('Only One');
    expect([offered.statusCode, offered.isNoted]).toEqual([400, false]);
    expect(offered.body).toContain(`user=${only}`);
    const address = await of('root@harbour.example');
    expect([address.statusCode, address.isNoted]).toEqual([400, false]);
    expect(address.body).not.toContain(stranger);
  });

  test('FX-57: however many others of the name there are, the people of the organization are found', async () => {
    for (let other = 0; other < 25; other += 1)
      await createUser(http, `namesake${other}@elsewhere.example`, [], { name: 'Nadia Namesake' });
    const own = await createUser(http, 'nadia@harbour.example', [scene.organizationId], {
      name: 'Nadia Namesake',
    });
    await http.settle();
    await http.tellHistory();
    const { body } = await audrey.browser.get(`${here()}&user=Nadia%20Namesake`);
    const offered = [...body.matchAll(/user=(\w{26})"><bdi class="name">Nadia Namesake</g)];
    expect(offered.map(([, id]) => id)).toEqual([own]);
  });

  test('PG-09: what is shown is a link away as CSV and NDJSON, and recorded', async () => {
    const { body } = await audrey.browser.get(`${here()}&type=AddonActivated&limit=2`);
    const [csv = '', ndjson = ''] = [...body.matchAll(/<a href="([^"]*)" download>/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&'),
    );
    expect(body).toContain(`<a href="/audit/export.ndjson?organization=${scene.organizationId}" download>`);
    const { entries } = await read(timeline('type=AddonActivated&limit=2&before=end'));
    const before = (await noted()).length;
    const lines = await audrey.browser.get(ndjson);
    expect(lines.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    expect(
      lines.body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(entries);
    const table = await audrey.browser.get(csv);
    expect([table.statusCode, table.headers['content-disposition']]).toEqual([200, 'attachment']);
    const [head, ...rows] = table.body.trim().split('\r\n');
    expect(head).toMatch(/"time","what","why"/);
    expect(rows).toHaveLength(entries.length);
    expect((await noted()).length, 'FX-97: the same question').toBe(before);
    expect((await audrey.browser.get(csv.replace('limit=2', 'limit=x'))).statusCode).toBe(400);
    expect((await ada.get(csv)).statusCode).toBe(403);
    const elsewhere = { 'sec-fetch-site': 'cross-site' };
    expect((await audrey.browser.get(csv, elsewhere)).body).toContain('Open the audit log?');
  });

  test('PG-22: an auditor downloads all events with their proof, and nobody else does', async () => {
    const href = `/audit/export.ndjson?organization=${scene.organizationId}`;
    const { statusCode, headers, body } = await audrey.browser.get(href);
    expect([statusCode, headers['content-disposition'], body]).toEqual([200, 'attachment', '{}\n']);
    expect((await ada.get(href)).statusCode).toBe(403);
    expect((await audrey.browser.get(href.replace(/=.*/, `=${other.organizationId}`))).statusCode).toBe(403);
    expect((await audrey.browser.get(`${href}&from=1/1`)).statusCode).toBe(400);
    const asked = await audrey.browser.get(href, { 'sec-fetch-site': 'cross-site' });
    expect(asked.body).toContain('Open the audit log?');
  });

  test('FX-97: searches are a tab of their own, in words of the page’s language, and no part of the timeline', async () => {
    const { browser, userId } = await auditor('sally@harbour.example', [scene.organizationId]);
    const of = `organization=${scene.organizationId}`;
    const grants = (await browser.get(`${orgOf(scene.organizationId)}/grants`)).json<{
      grants: { grant_id: string }[];
    }>();
    const grant = grants.grants[0]?.grant_id ?? '';
    for (const query of [
      `/audit/exposure?${of}&addon=${scene.clientId}&from=2026-01-01&to=2026-01-30`,
      `/audit?${of}&type=AddonActivated&user=${scene.userId}&actor=${scene.userId}&limit=7`,
      `/audit?${of}&grant=${grant}&from=2026-01-02&before=end`,
      `/audit?${of}&user=${other.userId}&to=2026-01-03`,
      `/audit/unused?${of}&days=30`,
      `/audit/log?${of}`,
    ])
      expect((await browser.get(query)).statusCode).toBe(200);
    await http.settle();
    await http.tellHistory();
    const searches = `${here()}&type=AuditQueried&actor=${userId}`;
    const tab = await browser.get(searches);
    const sentences = (html: string) =>
      [...html.matchAll(/<div class="line">([^]*?)<\/div>/g)].map(([, line = '']) =>
        line.replaceAll(/<[^>]*>/g, '').replaceAll(/\s*–\s*/g, '–'),
      );
    const name = /Harbour Club \d+/.exec(tab.body)?.[0] ?? '';
    expect(sentences(tab.body)).toEqual([
      'Audrey Audit looked at whether anything was removed from the log.',
      `Audrey Audit looked at the grants of ${name} unused for 30 days.`,
      `Audrey Audit looked at what happened to ${name}, about (unknown), until 3 January 2026.`,
      `Audrey Audit looked at what happened to ${name}, about a grant of Door Sync, since 2 January 2026.`,
      `Audrey Audit looked at what happened to ${name}, about Ada Ahoi, only “Add-on activated”, done by Ada Ahoi.`,
      `Audrey Audit looked at what Door Sync could see of ${name}, 1–30 January 2026.`,
      `Audrey Audit looked at the grants of ${name}.`,
    ]);
    expect(tab.body).toContain(`<h1>Who looked into the audit log of <bdi>${name}</bdi></h1>`);
    expect(tab.body).toContain('<input type="hidden" name="type" value="AuditQueried">');
    expect(tab.body).toMatch(/type=AuditQueried" aria-current="page">Searches</);
    expect(tab.body).not.toMatch(/<select id="type"/);
    const german = sentences((await browser.get(searches, { 'accept-language': 'de' })).body);
    expect(german.slice(3, 6)).toEqual([
      `Audrey Audit hat im Protokoll nachgesehen: die Ereignisse von ${name}, zu einer Freigabe von Door Sync, seit 2. Januar 2026.`,
      `Audrey Audit hat im Protokoll nachgesehen: die Ereignisse von ${name}, zu Ada Ahoi, nur „Add-on aktiviert“, getan von Ada Ahoi.`,
      `Audrey Audit hat im Protokoll nachgesehen: was Door Sync von ${name} sehen konnte, 1.–30. Januar 2026.`,
    ]);
    const events = (await browser.get(here())).body;
    expect(events).toMatch(/aria-current="page">What happened</);
    expect(events).not.toMatch(/looked at|value="AuditQueried"/);
    const { entries } = await read(timeline('limit=100'), browser);
    expect(entries.map(({ type }) => type)).not.toContain('AuditQueried');
    const file = (query: string) => browser.get(`/audit/timeline.ndjson?${of}&limit=100${query}`);
    expect((await file('')).body).not.toContain('AuditQueried');
    expect((await file('&type=AuditQueried')).body.match(/"AuditQueried"/g)?.length).toBeGreaterThan(6);
  });

  test('PG-22: the events of one act are one line, and in its details', async () => {
    const scene = await setScene(http);
    const ben = testBrowser(http.app);
    await ben.signIn(scene.email, password);
    await activate(http, scene);
    await obtainTokens(http, scene, { browser: ben, subject: `organization:${scene.organizationId}` });
    const { browser } = await auditor('lina@harbour.example', [scene.organizationId]);
    await http.tellHistory();
    const lines = async () =>
      [
        ...(await browser.get(`/audit?organization=${scene.organizationId}`)).body.matchAll(
          /<li>\n<time[^]*?<div class="line">([^]*?)<\/div><details><summary>([^<]*)<\/summary>([^]*?)<\/details>/g,
        ),
      ].map(([, line = '', summary, details = '']) => ({
        line: line.replaceAll(/<[^>]*>/g, ''),
        summary,
        types: [...details.matchAll(/<code>([A-Z]\w+)<\/code> in/g)].map(([, type]) => type),
      }));
    const found = await lines();
    expect(found).toContainEqual({
      line: expect.stringMatching(/^Ada Ahoi allowed /) as string,
      summary: '1 more',
      types: ['ScopesApproved', 'AuthorizationCodeIssued'],
    });
    expect(found).toContainEqual(expect.objectContaining({ summary: 'Details', types: ['AddonActivated'] }));
    const { organizationId, clientId } = scene;
    await http.commands.deactivateAddon({ organizationId, addonId: clientId, by: scene.userId });
    const deactivated = await http.store.readBack(activationStream(organizationId, clientId), 'end', 1);
    const { grants } = (await browser.get(`${orgOf(organizationId)}/grants`)).json<{
      grants: { grant_id: string }[];
    }>();
    const grant = grantStream(grants[0]?.grant_id ?? '');
    const data = { reason: 'addon-deactivated' as const, at: Date.now() };
    await http.store.append(grant, (await http.store.read(grant)).revision, [
      { event: { type: 'GrantRevoked', data }, metadata: { causationId: deactivated.events[0]?.id ?? '' } },
    ]);
    await http.tellHistory();
    const ended = { summary: '1 more', types: ['AddonDeactivated', 'GrantRevoked'] };
    expect(await lines()).toContainEqual(expect.objectContaining(ended));
  });

  test('PG-11: in German, where the browser asks for it', async () => {
    const german = { 'accept-language': 'de' };
    const { body } = await audrey.browser.get(`${here()}&type=AddonDeactivated`, german);
    expect(body).toContain('<html lang="de">');
    expect(body).toMatch(/<bdi>Door Sync<\/bdi><\/a> wurde für <bdi>Harbour Club[^<]*<\/bdi> deaktiviert/);
    expect(body).toMatch(/von <a [^>]*><bdi>Ada Ahoi/);
    expect(body).toContain('<optgroup label="Zugriff">');
    const refused = await ada.get(here(), german);
    expect(refused.body).toContain('Sie haben keinen Zugriff');
  });

  test('draws each grant as a bar with a letter and a pattern, and says the same in a table', async () => {
    const { body } = await audrey.browser.get(`/audit/grants?organization=${scene.organizationId}`);
    const [ended = '', open = ''] = body.match(/<a [^>]*><title>[^]*?<\/svg><\/a>/g) ?? [];
    expect(ended).toMatch(/class="of-addon-deactivated".*url\(#pattern-rising\).*>D<\/text>/);
    expect(open).toMatch(/class="of-open".*>→<\/text>/);
    expect(body).toContain('the add-on was deactivated');
    expect(body.match(/<tr>\s*<th scope="row"/g)).toHaveLength(2);
    expect(body).not.toMatch(/ style=|<style|<script(?! src="\/assets\/page-)/);
    const none = await audrey.browser.get(`/audit/grants?organization=${scene.organizationId}&to=1999-12-31`);
    expect(none.body).toContain('No grants match these filters.');
  });

  test('is for auditors alone', async () => {
    for (const url of ['/audit', here(), '/audit/grants']) expect((await ada.get(url)).statusCode).toBe(403);
    await createUser(http, 'nobody@harbour.example');
    expect((await audrey.browser.get('/admin')).body).toContain('href="/audit"');
    expect((await audrey.browser.get('/account')).body).toContain('href="/audit"');
    expect((await ada.get('/account')).body).not.toContain('href="/audit"');
  });
});
