import { describe, expect, test } from 'vitest';
import { entities } from '../../../src/tasks/entities.ts';
import { listsIn, sectionsOf } from '../../../src/tasks/sections.ts';
import { ownAddons } from '../../../src/tasks/publishing.ts';
import { bodyOf, fieldsOf } from '../../../src/tasks/fields.ts';
import { tasksOf } from '../../../src/tasks/places.ts';
import { filtersOf } from '../../../src/http/tasks/filters.ts';
import { markup } from '../../../src/http/pages/html.ts';
import { list, menu } from '../../../src/http/pages/list.ts';
import {
  buttonOf,
  effectOf,
  headingOf,
  labelOf,
  summaryOf,
  textIn,
  workIn,
} from '../../../src/http/tasks/in-words.ts';
import { columnsOf, factsOf, headOf, pageOfOperators, titleHtml } from '../../../src/http/tasks/shown.ts';
import { formFields, nothingTyped } from '../../../src/http/tasks/task-forms.ts';
import { entityListPage } from '../../../src/http/tasks/views/entity-list-page.ts';
import { entityPage, waitingCard } from '../../../src/http/tasks/views/entity-page.ts';
import { taskPage } from '../../../src/http/tasks/views/task-page.ts';
import { operatorPage } from '../../../src/http/operator/views/operator-page.ts';
import { statusPage } from '../../../src/http/operator/views/status-page.ts';
import { problemsIn } from '../../../src/http/docs/explanations.ts';
import { guidePage } from '../../../src/http/docs/guide-page.ts';
import { problemPage, problemsPage } from '../../../src/http/docs/problem-pages.ts';
import { referencePage } from '../../../src/http/docs/reference-page.ts';
import { approvalPage } from '../../../src/http/oauth/authorize/views/approval-page.ts';
import { signInPage } from '../../../src/http/session/views/session-pages.ts';
import { brandView } from '../../../src/http/pages/brand-view.ts';
import { messagePage } from '../../../src/http/pages/message-page.ts';
import { chooseLanguage, languages } from '../../../src/http/words/languages.ts';
import { isTimeZone, makeReader, timeZones } from '../../../src/http/words/reader.ts';
import { outsideOf, third } from '../../support/documents/third-language.ts';

describe('PG-11: which language a page has', () => {
  const tagOf = (...given: Parameters<typeof chooseLanguage>) => chooseLanguage(...given).tag;
  test.each([
    ['the account, before all others', { account: 'de', uiLocales: 'en', accept: 'en' }, 'de'],
    ['ui_locales, before the browser', { uiLocales: 'tlh de-AT en', accept: 'en' }, 'de'],
    ['ui_locales with an underscore (FX-64)', { uiLocales: 'de_DE', accept: 'en' }, 'de'],
    ['the browser, by its weights', { accept: 'en;q=0.2, de-CH;q=0.9, *;q=0.1' }, 'de'],
    ['not what the browser refuses', { accept: 'de;q=0, en' }, 'en'],
    ['the next one after an unknown one', { account: 'tlh', uiLocales: 'xx', accept: 'de' }, 'de'],
    ['English where nothing is known', { account: null, accept: 'tlh, *' }, 'en'],
    ['English for what is no language', { uiLocales: '\u0000 -- <b>', accept: ';;;,q=,-' }, 'en'],
  ])('%s', (_, wishes, tag) => expect(tagOf(wishes)).toBe(tag));

  test('a third language is one more object', () => {
    expect(tagOf({ accept: 'x-marked' }, [...languages, third])).toBe('x-marked');
  });
});

test('PG-11: pages in a made-up third language have no text of another', () => {
  const reader = makeReader(third, 'UTC');
  const common = { base: '', reader, interaction: 'i', addonName: 'Door' };
  const form = { local: true, providers: [{ id: 'p', name: 'P' }], passkeys: true, lastWay: '', email: '' };
  const signIn = signInPage({ ...common, ...form, failed: true, wait: 2, notSignedInAs: 'Ada', again: true });
  expect(signIn).toContain('<html lang="x-marked">');
  expect(outsideOf(signIn)).toEqual([]);
  expect(outsideOf(messagePage({ base: '', reader, title: '', message: '', requestId: 'r' }))).toEqual([]);
  const subject = { name: 'Ada', justActivated: true, newScopes: ['profiles:read'] } as const;
  const approval = approvalPage({
    ...common,
    brand: brandView(null),
    addonLogo: 'data:image/png;base64,',
    publisher: 'Doors',
    verified: true,
    registeredAt: Date.parse('2026-05-03T16:20:05Z'),
    website: 'https://door.example/',
    privacyUrl: 'https://door.example/privacy',
    supportUrl: 'https://door.example/help',
    lasts: { unused: 3_600, most: 86_400 },
    destination: 'door.example',
    signedIn: 'Ada',
    email: 'ada@door.example',
    mayBeAnother: true,
    scopes: ['openid', 'profile', 'email', 'profiles:read', 'reservations:read', 'access-rights:read'],
    isForOwnApi: true,
    resourceServers: [{ audience: 'https://other.example', name: 'Other' }],
    subjects: [
      { ...subject, key: 'user', kind: 'user' },
      { ...subject, key: 'organization:1', kind: 'organization' },
    ],
    notActivated: [{ organizationId: '2', name: 'Two' }],
    canBeActivated: true,
  });
  expect(outsideOf(approval)).toEqual([]);
});

test('PG-11, PG-23: the documentation in a made-up third language has no text of another, but for what is marked as English', () => {
  const view = { base: '', brand: brandView(null), reader: makeReader(third, 'UTC') };
  const outside = (html: string) =>
    outsideOf(html.replaceAll(/<(?!html)(\w+)[^>]* lang="en"[^>]*>[^]*?<\/\1>/g, ''));
  for (const about of problemsIn(third)) {
    const shown = problemPage({ ...view, about, returnedBy: [{ anchor: '/x', summary: 'Read profiles' }] });
    expect(outside(shown)).toEqual([]);
    expect(outside(problemPage({ ...view, about, returnedBy: [] }))).toEqual([]);
  }
  for (const sought of ['', 'token', 'nothing-like-that'])
    expect(outside(problemsPage({ ...view, sought }))).toEqual([]);
  const tutorial = '## 2. curl\n\nThe add-on sends the browser.\n';
  const guide = guidePage({ ...view, baseUrl: '', issuer: '', tutorial });
  expect([outside(guide), guide.includes('lang="en">2. curl</a>')]).toEqual([[], true]);
  expect(outside(referencePage(view).replace(/<div id="swagger-ui" lang="en">/, '<div>'))).toEqual([]);
});

describe('PG-11: pages of operators in a made-up third language have no text of another', () => {
  // What the example of an answer says by itself, such as the state of a worker.
  const every = new Proxy(third.values, { get: (_all, text) => `⟦${String(text)}⟧` });
  const reader = makeReader({ ...third, values: every }, 'UTC');
  const { words } = reader;
  const view = { base: '', reader, signedIn: 'Olive', csrf: 'c', crumbs: [] };
  const showing = { base: '', pageOf: pageOfOperators, reader, words, names: new Map<string, string>() };
  const outside = (html: string) => outsideOf(html.replaceAll(/<dt>\w+_id<\/dt>/g, ''));

  test.each([...entities, ownAddons])('$api $plural: the list, the page and the tasks', (about) => {
    const json = about.example;
    const listed = entityListPage({
      ...view,
      here: '/',
      heading: headingOf(words, about),
      done: words.operator.done('x', 'x'),
      ...filtersOf(about, '/', {
        given: fieldsOf(about.filters).map(({ name }) => [name, ['true']]),
        ids: {},
        problems: [],
        options: {},
        choices: {},
        showing,
        waiting: 3,
      }),
      columns: columnsOf(showing, about, null, [json]),
      rows: [json],
      isFiltered: true,
      none: null,
      paging: { from: 1, shown: 1, all: { count: 2, isMore: true }, first: '/', previous: '/', next: '/' },
      making: [],
      problem: null,
    });
    expect(outside(listed)).toEqual([]);
    const shown = entityPage({
      ...view,
      title: '',
      heading: titleHtml(showing, json),
      logo: null,
      head: headOf(showing, about, json),
      lists: listsIn(about).map((items) => {
        const rows = [Object.fromEntries(Object.keys(items.columns).map((key) => [key, '1']))];
        return list(labelOf(words, items.name), columnsOf(showing, about, items, rows), rows);
      }),
      sections: [],
      facts: factsOf(showing, about, json, () => '/'),
      waiting: [waitingCard({ reader, title: words.operator.waits, facts: [], whole: [], ways: [] })],
      tabs: [{ href: '/', label: words.operator.overview, isCurrent: true, count: 3, isMore: true }],
      actions: [
        menu(
          words.parts.actionsOf('x'),
          about.tasks.map((task) => markup`<a href="/">${buttonOf(words, about, task)}</a>`),
        ),
      ],
      done: words.operator.done('x', 'x'),
    });
    expect(outside(shown)).toEqual([]);
    const reads = sectionsOf(about).map(({ read }) => read);
    for (const task of tasksOf(about).filter((each) => !reads.includes(each))) {
      const fields = formFields(words, about, task, fieldsOf(bodyOf(task.input)), json, nothingTyped, {});
      const form = taskPage({
        ...view,
        summary: summaryOf(words, about, task),
        submit: words.operator.save,
        title: null,
        heading: null,
        effect: effectOf(words, about, task),
        ends: [words.operator.ends.grants(3, false)],
        isEnd: true,
        isFinal: true,
        action: '/',
        cancel: '/',
        item: null,
        back: null,
        fields,
        field: null,
        revision: '1',
        problem: null,
        to: { id: 'i', said: markup`${words.operator.givenTo('x', false)}` },
      });
      expect([task.name, outside(form)]).toEqual([task.name, []]);
    }
  });

  test('the home, and the status of the service', () => {
    const workers = [{ name: '7', state: 'leading', health: 'failing' }] as const;
    const lag = [
      {
        name: '7',
        most: 9,
        samples: [
          { at: 1, behind: 3 },
          { at: 2, behind: null },
        ],
      },
    ];
    const first = { stream: '7', projection: '7', parkedAt: 1, error: null } as never;
    const database = {
      groups: [{ name: '7', position: null, leader: null }],
      instances: [{ name: '7', since: 1, leads: [] }],
      parked: { keys: [{ first, events: 2 }] as never, all: 2 },
      rebuilds: [{ name: '7', version: 2, state: 'building', events: 3, eventsPerSecond: 4, secondsLeft: 5 }],
      failingEndpoints: 2,
    };
    for (const status of [
      { at: 1, instance: '7', database, lostKeys: 2, lag, workers },
      { at: 1, instance: '7', database: { ...database, rebuilds: [] }, lostKeys: null, lag: [], workers: [] },
      { at: 1, instance: '7', database: null, lostKeys: null, lag: [], workers },
    ]) {
      expect(outside(statusPage({ ...view, here: '/', status }))).toEqual([]);
      const count = { count: 3, isMore: true, lately: 2, before: 1 };
      const lists = [{ href: '/', label: words.operator.title, count }];
      const work = entities.map((about) => markup`${workIn(words, about, 3)}`);
      const home = operatorPage({ ...view, status, lists, work, search: '', found: [], latest: [] });
      expect(outside(home)).toEqual([]);
    }
  });
});

test('PG-11: numbers, dates, lists and lengths of time are as the language writes them', () => {
  const german = chooseLanguage({ account: 'de' });
  expect(german.admin.unusedFor(1_000)).toBe('Seit 1.000 Tagen ungenutzt');
  const now = Date.parse('2026-05-03T22:30:00Z');
  const of = (tag: string, zone: string) => makeReader(chooseLanguage({ account: tag }), zone, now);
  const [here, there] = [of('en', 'UTC'), of('de', 'Europe/Berlin')];
  const times = ['2026-05-03T22:10:05Z', '2026-05-03T08:00:00Z', '2026-05-01T08:00:00Z'];
  expect(times.map(here.when)).toEqual(['today at 22:10', 'today at 08:00', '1 May 2026 at 08:00']);
  expect(times.map(there.when)).toEqual(['heute um 00:10', 'gestern um 10:00', '1. Mai 2026 um 10:00']);
  expect(times.map(there.on).slice(1)).toEqual(['gestern um 10:00', 'am 1. Mai 2026 um 10:00']);
  expect(there.zonedMomentOf(times[1] ?? '')).toBe('3. Mai 2026 um 10:00:00 MESZ');
  expect([here.list(['a', 'b', 'c']), there.list(['a', 'b', 'c'])]).toEqual(['a, b and c', 'a, b und c']);
  expect([86_400, 2_592_000, 3_600, 90].map(there.duration)).toEqual([
    '1 Tag',
    '30 Tage',
    '1 Stunde',
    '90 Sekunden',
  ]);
});

test.each([
  ['refused the connection', 'hat die Verbindung abgelehnt'],
  ['answered 503 instead of 202', 'hat mit 503 statt 202 geantwortet'],
  [
    'answered 400 instead of 202: invalid_key: which: key?',
    'hat mit 400 statt 202 geantwortet: invalid_key: which: key?',
  ],
  [
    'answered 302 instead of 202 (redirects are not followed)',
    'hat mit 302 statt 202 geantwortet (Weiterleitungen wird nicht gefolgt)',
  ],
  ['reported by the receiver itself', 'reported by the receiver itself'],
])('PG-24: how a receiver failed is said in the language of the page: %s', (text, german) =>
  expect(textIn(chooseLanguage({ account: 'de' }), text)).toBe(german),
);

test('FX-64: days are those of the calendar, also where one has 25 hours', () => {
  const berlin = makeReader(undefined, 'Europe/Berlin', Date.parse('2026-10-25T22:30:00Z'));
  expect(berlin.when('2026-10-25T00:30:00Z')).toBe('today at 02:30');
  expect(berlin.when('2026-10-24T12:00:00Z')).toBe('yesterday at 14:00');
  expect(berlin.when('2026-10-23T21:30:00Z')).toBe('23 October 2026 at 23:30');
  expect(berlin.shortOf('2026-10-24T22:30:00Z')).toBe('today 00:30');
});

test('FX-96: a day begins at midnight of the reader’s zone, also where the clocks change', () => {
  const startIn = (zone: string, date: string) =>
    new Date(makeReader(undefined, zone).startOf(date)).toISOString();
  expect(startIn('UTC', '2026-10-25')).toBe('2026-10-25T00:00:00.000Z');
  expect(startIn('Europe/Berlin', '2026-10-25')).toBe('2026-10-24T22:00:00.000Z');
  expect(startIn('Europe/Berlin', '2026-10-26')).toBe('2026-10-25T23:00:00.000Z');
  expect(startIn('Europe/Berlin', '2026-03-30')).toBe('2026-03-29T22:00:00.000Z');
  expect(startIn('America/New_York', '2026-11-01')).toBe('2026-11-01T04:00:00.000Z');
  expect(startIn('America/New_York', '2026-11-02')).toBe('2026-11-02T05:00:00.000Z');
  expect(startIn('Asia/Kathmandu', '2026-05-03')).toBe('2026-05-02T18:15:00.000Z');
  // There midnight of that day does not exist.
  expect(startIn('America/Santiago', '2026-09-06')).toBe('2026-09-06T04:00:00.000Z');
});

test.each([
  ['Europe/Berlin', true],
  ['Asia/Kolkata', true],
  ['Asia/Calcutta', true],
  ['UTC', true],
  ['Mars/Olympus', false],
  ['+05:30', false],
  ['', false],
])('FX-64: every name that Intl takes is a time zone, and an offset is none: %s', (name, is) =>
  expect(isTimeZone(name)).toBe(is),
);

test('FX-64: the list has the names of today, each once', () => {
  expect(timeZones).toEqual(expect.arrayContaining(['UTC', 'Asia/Kolkata', 'Europe/Kyiv', 'America/Nuuk']));
  expect(timeZones.filter((zone) => ['Asia/Calcutta', 'Europe/Kiev'].includes(zone))).toEqual([]);
  expect(new Set(timeZones).size).toBe(timeZones.length);
  expect(timeZones.every(isTimeZone)).toBe(true);
});
