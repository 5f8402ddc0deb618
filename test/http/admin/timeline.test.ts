import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { auditStream } from '../../../src/domain/streams.ts';
import { EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { valueOf } from '../../support/outcomes.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { activate, createUser, obtainTokens, setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { testBrowser, type TestBrowser } from '../../support/scenes/pages.ts';
import { giveStream, queueTold } from '../../support/scenes/told-addons.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

/** AP-11: what administrators read about their organization, and where it is what auditors read, too. */

let isAway = false;
const store = memoryStore({
  beforeAppend: (stream) => {
    if (isAway && stream.startsWith('audit-')) throw new EventStoreUnavailable('away');
  },
});
const http = await startHttpApp({ store });
const harbour = await setScene(http, { name: 'Door Sync' });
const elsewhere = await setScene(http, { name: 'Secret Sauna' });
const { organizationId, clientId } = harbour;
const email = 'mia@harbour.example';
/** Administers both. */
const mia = await createUser(http, email, [organizationId, elsewhere.organizationId]);
for (const scene of [harbour, elsewhere]) {
  await giveStream(http.pool, scene.clientId);
  await activate(http, scene);
  await obtainTokens(http, { ...scene, email }, { subject: `organization:${scene.organizationId}` });
}
valueOf(await http.commands.deactivateAddon({ addonId: clientId, organizationId, by: 'break-glass' }));
const audrey = { email: 'audrey@harbour.example' };
await createUser(http, audrey.email, [], { roles: ['auditor'], auditorOf: [organizationId] });
await http.settle();
await http.tellHistory();
await queueTold(http.database.url, store);
const ada = await signedIn(http, harbour);
const auditor = await signedIn(http, audrey);
afterAll(() => http.close());
beforeEach(() => void (isAway = false));

const nowhere = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const api = (query = '', id = organizationId) => `/organizations/${id}/timeline${query && `?${query}`}`;
const page = (query = '', id = organizationId) => `/admin${api(query, id)}`;
const ofAuditors = `/audit/organizations/${organizationId}/timeline`;

type Entry = {
  readonly position: string;
  readonly type: string;
  readonly actor: object | null;
  readonly token_id: string | null;
  readonly told: readonly { readonly addon: { readonly name: string }; readonly event: string }[];
};
type Answer = {
  readonly entries: readonly Entry[];
  readonly _links: readonly { readonly rel: string; readonly href: string }[];
};
const read = async (url: string, browser = ada): Promise<Answer> => {
  const answer = await browser.get(url);
  expect([url, answer.statusCode]).toEqual([url, 200]);
  return answer.json();
};
const byToken = async (token: string, url = api()) =>
  http.app.inject({ url, headers: { authorization: `Bearer ${token}` } });
let tokens = 0;
const tokenOf = async (userId: string, of: string | null) => {
  const asked = { userId, organizationId: of, name: `program ${(tokens += 1)}`, days: 1, by: userId };
  return valueOf(await http.commands.issueAdministratorToken(asked));
};
const problemIn = ({ statusCode, body }: { readonly statusCode: number; readonly body: string }) => {
  const { type, errors } = JSON.parse(body) as { type: string; errors?: readonly { parameter: string }[] };
  return [statusCode, type.replace(/.*\//, ''), ...(errors ?? []).map(({ parameter }) => parameter)];
};
const problemOf = async (url: string, browser = ada) => problemIn(await browser.get(url));
const noted = async (by = harbour.userId) => (await http.store.read(auditStream(by))).events;
/** The filters of the page name every add-on that is registered. */
const entriesOf = (body: string): string =>
  /<ol class="events">[^]*<\/ol>|No events match these filters/.exec(body)?.[0] ??
  'no events, and no word of it';

describe('what an administrator reads', () => {
  test('AP-11: the timeline of the organization, without being an auditor: what was allowed, done and notified, and by whom', async () => {
    const { entries } = await read(api('limit=100'));
    for (const entry of [
      { type: 'AddonActivated', actor: { kind: 'user', id: harbour.userId, name: 'Ada Ahoi' } },
      { type: 'AddonDeactivated', actor: { kind: 'break-glass' } },
      { type: 'AuthorizationCodeRedeemed' },
      { type: 'AuditorAdded' },
    ])
      expect(entries).toContainEqual(expect.objectContaining(entry));
    expect(
      entries.flatMap(({ told }) => told.map(({ addon, event }) => [addon.name, event.replace(/.*\//, '')])),
    ).toEqual([
      ['Door Sync', 'addon-activated'],
      ['Door Sync', 'approval-changed'],
      ['Door Sync', 'addon-deactivated'],
    ]);
  });

  test.each(['administrators', 'auditors'] as const)(
    'AP-11: %s go through the same events page by page, in JSON and on the page, by links that are followed as they are',
    async (who) => {
      const { entries } = await read(`${ofAuditors}?limit=100`, auditor);
      const until = entries.at(-1)?.position ?? '';
      const [browser, json, html] =
        who === 'auditors'
          ? [auditor, `${ofAuditors}?limit=3`, `/audit?organization=${organizationId}&limit=4`]
          : [ada, api('limit=3'), page('limit=4')];
      const walked: Entry[] = [];
      let next: string | undefined = json;
      while (next !== undefined && walked.at(-1)?.position !== until) {
        const answer: Answer = await read(next, browser);
        walked.push(...answer.entries);
        next = answer._links.find(({ rel }) => rel === 'next')?.href.slice(http.baseUrl.length);
      }
      expect(walked.slice(0, entries.length)).toEqual(entries);
      const last = await browser.get(`${json}&before=end`);
      expect(last.json<Answer>().entries).toHaveLength(3);
      expect(last.headers.link).toMatch(/rel="prev"$/);

      const seen: string[] = [];
      let url: string | undefined = html;
      while (url !== undefined) {
        const { statusCode, body } = await browser.get(url);
        expect(statusCode).toBe(200);
        const places = [...body.matchAll(/<code class="place">([\d/]+)<\/code>/g)].map(([, at = '']) => at);
        seen.unshift(...places.toReversed()); // PG-09: the newest first
        url = /href="([^"]*)">Earlier</.exec(body)?.[1]?.replaceAll('&amp;', '&');
      }
      expect(seen.slice(0, entries.length)).toEqual(entries.map(({ position }) => position));
    },
  );

  test('AP-11: the page is reached from the organization, keeps to its own address, and says in words what happened', async () => {
    const { body: addons } = await ada.get(`/admin/organizations/${organizationId}`);
    expect(addons).toContain(`href="${page()}"`);
    const { body } = await ada.get(page(`addon=${clientId}&type=AddonDeactivated`));
    expect(body).toMatch(/was deactivated for/);
    expect(body).toMatch(/by break-glass \(on the command line/);
    expect(body).toContain('Message to <bdi>Door Sync</bdi>');
    expect(body).toContain(`<form class="filters" method="get" action="${page()}" role="search">`);
    expect(body).toContain(`<option value="${clientId}" selected>`);
    expect(body).toContain('This search was recorded in the audit log.');
    expect(body).not.toMatch(/\/audit|name="organization"/);
    expect(body.match(/<ol class="events">[^]*<\/ol>/)?.[0].match(/<li>/g)).toHaveLength(1);
  });

  test('AP-11: each search is recorded before the answer, with who asked, and is in the timeline itself', async () => {
    const before = (await noted()).length;
    await read(api(`addon=${clientId}&limit=100`));
    await ada.get(page('type=AddonActivated'));
    const { token, tokenId } = await tokenOf(harbour.userId, organizationId);
    expect((await byToken(token)).statusCode).toBe(200);
    const about = { organizationId, query: 'timeline' };
    const searches = (await noted()).slice(before);
    expect(searches.map(({ event }) => event.data)).toMatchObject([
      {
        ...about,
        parameters: [
          { name: 'addon', value: clientId },
          { name: 'limit', value: '100' },
        ],
      },
      { ...about, parameters: [{ name: 'type' }, { name: 'before', value: 'end' }] },
      { ...about, parameters: [] },
    ]);
    expect(searches.map(({ metadata }) => metadata.tokenId ?? null)).toEqual([null, null, tokenId]);
    await http.tellHistory();
    const { entries } = await read(api(`type=AuditQueried&actor=${harbour.userId}&before=end&limit=1`));
    expect(entries).toMatchObject([{ actor: { kind: 'user', id: harbour.userId }, token_id: tokenId }]);
    expect((await ada.get(page('type=AuditQueried'))).body).toContain(
      `with the administrator token <code>${tokenId}</code>`,
    );
  });

  test('FX-97: searches are a tab of administrators, too, and no part of their timeline', async () => {
    const { body } = await ada.get(page('type=AuditQueried'));
    expect(body).toMatch(/<div class="line"><a [^>]*><bdi>Ada Ahoi<\/bdi><\/a> looked at what happened to /);
    expect(body).toContain(`<a href="${page()}">What happened</a>`);
    expect(body).toContain(`<a href="${page('type=AuditQueried')}" aria-current="page">Searches</a>`);
    expect((await ada.get(page())).body).not.toContain('looked at');
    expect((await read(api('limit=100&before=end'))).entries.map(({ type }) => type)).not.toContain(
      'AuditQueried',
    );
    expect(body).toContain('Auditors of the organization can export all events with a proof');
  });

  test('AP-11: without the record there is no answer', async () => {
    expectTrouble(/^warn: request failed: temporarily unavailable/);
    isAway = true;
    expect(await problemOf(api('from=2026-01-01'))).toEqual([503, 'temporarily-unavailable']);
    const { statusCode, body } = await ada.get(page('from=2026-01-01'));
    expect([statusCode, body.includes('Door Sync')]).toEqual([503, false]);
  });

  test('AP-11: nothing of another organization, by no filter, and no network or address of a person', async () => {
    const theirs = await read(api('limit=100', elsewhere.organizationId), await signedIn(http, { email }));
    const grant = /"grant","id":"(\w{26})"/.exec(JSON.stringify(theirs))?.[1] ?? '';
    const foreign = ['Secret Sauna', elsewhere.organizationId, elsewhere.clientId, elsewhere.userId, grant];
    expect(foreign).not.toContain('');
    const asked = [
      `user=${mia}`,
      `actor=${mia}`,
      `actor=${elsewhere.userId}`,
      `user=${elsewhere.userId}`,
      `addon=${elsewhere.clientId}`,
      `grant=${grant}`,
    ];
    const searches = (await read(api('limit=100&type=AuditQueried'))).entries;
    const before = `before=${searches[0]?.position ?? 'end'}`; // a search says what was searched for
    for (const query of ['', ...asked.map((filter) => `&${filter}`)]) {
      const found = JSON.stringify(await read(api(`limit=100&${before}${query}`)));
      const shown = entriesOf((await ada.get(page(`limit=100&${before}${query}`))).body);
      for (const text of [found.replace(/"_links".*/, ''), shown])
        for (const each of [...foreign, '127.0.0.1', '@harbour.example'])
          expect([query, each, text.includes(each)]).toEqual([query, each, false]);
    }
    await http.tellHistory();
    const recorded = JSON.stringify(await read(api('limit=100&before=end&type=AuditQueried')));
    expect(recorded).toContain(elsewhere.clientId);
    expect(recorded, 'who was searched for is not named').not.toContain('Secret Sauna');
  });

  test('AP-11: the history of a closed organization stays', async () => {
    const scene = await setScene(http);
    valueOf(await http.commands.closeOrganization({ organizationId: scene.organizationId }));
    await http.tellHistory();
    const browser = await signedIn(http, scene);
    const { entries } = await read(api('type=OrganizationClosed', scene.organizationId), browser);
    expect(entries).toHaveLength(1);
  });
});

describe('who is refused', () => {
  test('AP-11: others, auditors, and administrators of another organization, alike for one that does not exist', async () => {
    const before = await http.store.head();
    for (const browser of [auditor, await signedIn(http, elsewhere)]) {
      const bodies = await Promise.all(
        [organizationId, nowhere].map(async (id) => {
          const [asked, shown] = [await browser.get(api('', id)), await browser.get(page('', id))];
          expect(problemIn(asked)).toEqual([403, 'not-an-administrator']);
          expect(shown.statusCode).toBe(403);
          return [{ ...asked.json<object>(), instance: null }, shown.body];
        }),
      );
      expect(bodies[0]).toEqual(bodies[1]);
    }
    const nobody = testBrowser(http.app);
    expect(await problemOf(api(), nobody)).toEqual([401, 'sign-in-required']);
    const away = await nobody.get(page('type=AddonActivated'));
    expect([away.statusCode, away.headers.location]).toEqual([
      303,
      `/sign-in?return_to=${encodeURIComponent(page('type=AddonActivated'))}`,
    ]);
    expect(await read(api('from=2026-01-02'), ada)).toBeDefined();
    const events = store.all().filter(({ position }) => position.commit > (before?.commit ?? 0n));
    expect(
      events.filter(({ event }) => event.type === 'AuditQueried'),
      'refusals are not recorded',
    ).toHaveLength(1);
  });

  test('AP-11: a token counts for its own organization, and only while its user administers it', async () => {
    const forAll = await tokenOf(mia, null);
    const bound = await tokenOf(mia, elsewhere.organizationId);
    expect((await byToken(forAll.token)).statusCode).toBe(200);
    expect(problemIn(await byToken(bound.token))).toEqual([
      403,
      'administrator-token-for-another-organization',
    ]);
    expect(problemIn(await byToken(forAll.token, api('', nowhere)))).toEqual([403, 'not-an-administrator']);
    expect(problemIn(await byToken('mkt_admin_no'))).toEqual([401, 'administrator-token-unknown']);
    const [auditorId] = store
      .all()
      .flatMap(({ event }) => (event.type === 'AuditorAdded' ? event.data.userId : []));
    const ofAuditor = await tokenOf(auditorId ?? '', null);
    expect(problemIn(await byToken(ofAuditor.token))).toEqual([403, 'not-an-administrator']);
  });

  test('AP-11: who was removed is refused once the call has returned, with the session and with tokens', async () => {
    const userId = await createUser(http, 'former@harbour.example', [organizationId]);
    const browser = await signedIn(http, { email: 'former@harbour.example' });
    const forAll = await tokenOf(userId, null);
    const bound = await tokenOf(userId, organizationId);
    const statuses = async () => [
      (await browser.get(api())).statusCode,
      (await browser.get(page())).statusCode,
      (await byToken(forAll.token)).statusCode,
      (await byToken(bound.token)).statusCode,
    ];
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    valueOf(await http.commands.removeAdministrator({ organizationId, userId, force: true }));
    expect(await statuses()).toEqual([403, 403, 403, 401]);
    expect(await noted(userId), 'one of the browser, and one of each token').toHaveLength(3);
  });

  test('AP-11: a link on another site records nothing: the page asks first, and JSON is refused, but not to a token', async () => {
    const { token } = await tokenOf(harbour.userId, organizationId);
    const before = (await noted()).length;
    for (const site of ['cross-site', 'same-site']) {
      const headers = { 'sec-fetch-site': site };
      expect(problemIn(await ada.get(api(), headers))).toEqual([403, 'other-origin']);
      const asked = await ada.get(page('type=AddonActivated'), headers);
      expect(asked.body).toContain('Open the audit log?');
      expect(asked.body).toContain(`href="${page('type=AddonActivated')}"`);
    }
    expect(await noted()).toHaveLength(before);
    const headers = { 'sec-fetch-site': 'cross-site', authorization: `Bearer ${token}` };
    expect((await http.app.inject({ url: api(), headers })).statusCode).toBe(200);
  });
});

describe('bad input', () => {
  const both = async (query: string, browser: TestBrowser = ada) => {
    const before = (await noted()).length;
    const asked = problemIn(await browser.get(api(query)));
    const shown = await browser.get(page(query));
    return { asked, shown, recorded: (await noted()).length - before };
  };

  test.each([
    ['to=9999-01-01', 'to'],
    ['organization=x', 'organization'],
    ['limit=1&limit=1', 'limit'],
  ])('AP-11: %s is refused and named, and nothing is recorded', async (query, parameter) => {
    const { asked, shown, recorded } = await both(query);
    expect(asked).toEqual([400, 'invalid-parameters', parameter]);
    expect([shown.statusCode, shown.body.includes(`<code>${parameter}</code>`), recorded]).toEqual([
      400,
      true,
      0,
    ]);
  });

  test('AP-11: 10 kB are refused, named, and not shown again in full', async () => {
    for (const name of ['addon', 'type', 'actor', 'from', 'limit', 'before']) {
      const { asked, shown, recorded } = await both(`${name}=${'9'.repeat(10_000)}`);
      expect([asked, shown.statusCode, recorded]).toEqual([[400, 'invalid-parameters', name], 400, 0]);
      expect(shown.body).not.toContain('9'.repeat(1000));
    }
  });

  test('AP-11: an empty parameter is refused in JSON; on the page it is a field that was left empty', async () => {
    for (const [name, grant] of [
      ['addon', nowhere],
      ['from', elsewhere.userId],
    ] as const) {
      const { asked, shown, recorded } = await both(`${name}=&grant=${grant}`);
      expect([asked, shown.statusCode, recorded]).toEqual([[400, 'invalid-parameters', name], 200, 1]);
    }
  });

  test('AP-11: an id that cannot be one is named in JSON, and is nobody’s organization on the page', async () => {
    for (const id of ['x', '..%2f..', `${organizationId}x`, organizationId.toLowerCase(), '%00']) {
      expect(await problemOf(api('', id))).toEqual([400, 'invalid-parameters', 'organization_id']);
      expect((await ada.get(page('', id))).statusCode).toBe(403);
    }
  });
});
