import { describe, expect, test } from 'vitest';
import { addons, type AddonItem } from '../../../src/administration/addons.ts';
import { changeExample, changeFields } from '../../../src/administration/addons/addon-changes.ts';
import { fieldsOf } from '../../../src/administration/fields.ts';
import { signals, type SignalItem } from '../../../src/administration/signals.ts';
import {
  newSecretPage,
  publishedAddonPage,
  publishedAddonsPage,
} from '../../../src/http/publisher/views/publisher-pages.ts';
import { approvalPage } from '../../../src/http/oauth/authorize/views/approval-page.ts';
import { signInPage } from '../../../src/http/session/views/session-pages.ts';
import { brandView } from '../../../src/http/pages/brand-view.ts';
import { messagePage } from '../../../src/http/pages/message-page.ts';
import { en, type Words } from '../../../src/http/words/en.ts';
import { chooseLanguage, languages } from '../../../src/http/words/languages.ts';
import { countIn } from '../../../src/http/words/plural.ts';
import { isTimeZone, makeReader } from '../../../src/http/words/reader.ts';

/** Each text in brackets: what a page shows outside of them is not from the catalogue. */
const marked = <T>(value: T): T => {
  if (typeof value === 'string') return `⟦${value}⟧` as T;
  if (Array.isArray(value)) return value.map(marked) as T;
  if (typeof value === 'function')
    return ((...given: readonly unknown[]) => `⟦${String(value(...given))}⟧`) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, marked(inner)])) as T;
};
/** A third language, made up: one object. */
const third: Words = { ...marked(en), tag: 'x-marked', locale: 'en-GB' };

const outsideOf = (html: string): readonly string[] => {
  let text = html
    .replace(/^[^]*<main[^>]*>/, '')
    .replace(/<\/main>[^]*/, '')
    .replace(/<bdi[^>]*>[^<]*<\/bdi>|<p class="parties"[^]*?<\/p>|<(time|code|option)[^>]*>[^<]*<\/\1>/g, '')
    .replace(/<[^>]+>/g, '\n');
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(/⟦[^⟦⟧]*⟧/g, '');
  }
  return text.match(/\p{L}[^\n]*/gu) ?? [];
};

describe('PG-11: which language a page has', () => {
  const tagOf = (...given: Parameters<typeof chooseLanguage>) => chooseLanguage(...given).tag;
  test.each([
    ['the account, before all others', { account: 'de', uiLocales: 'en', accept: 'en' }, 'de'],
    ['ui_locales, before the browser', { uiLocales: 'fr de-AT en', accept: 'en' }, 'de'],
    ['the browser, by its weights', { accept: 'en;q=0.2, de-CH;q=0.9, *;q=0.1' }, 'de'],
    ['not what the browser refuses', { accept: 'de;q=0, en' }, 'en'],
    ['the next one after an unknown one', { account: 'tlh', uiLocales: 'xx', accept: 'de' }, 'de'],
    ['English where nothing is known', { account: null, accept: 'fr, *' }, 'en'],
    ['English for what is no language', { uiLocales: '\u0000 -- <b>', accept: ';;;,q=,-' }, 'en'],
  ])('%s', (_, wishes, tag) => expect(tagOf(wishes)).toBe(tag));

  test('a third language is one more object', () => {
    expect(tagOf({ accept: 'x-marked' }, [...languages, third])).toBe('x-marked');
  });
});

test('PG-11: pages in a made-up third language have no text of another', () => {
  const reader = makeReader(third, 'UTC');
  const common = { base: '', reader, interaction: 'i', addonName: 'Door' };
  const form = { local: true, providers: [{ id: 'p', name: 'P' }], passkeys: true, email: '' };
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
    registeredAt: '2026-05-03T16:20:05Z',
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

test('PG-11: so have the pages of a publisher, with everything on them and with nothing', () => {
  const reader = makeReader(third, 'UTC');
  const view = { base: '', reader, signedIn: 'Bea', csrf: 'c', brand: brandView(null), areas: [] };
  const links = { website: null, privacy_url: null, support_url: null, configuration_url: null };
  const none = { redirect_uris: [], scopes: [], post_logout_redirect_uris: [] };
  const addon = { ...addons.example, ...links, ...none, publisher: null } as unknown as AddonItem;
  const full = publishedAddonPage({
    ...view,
    addon: { ...addon, confidential: true },
    organizations: { items: [], next: null, shown: 2, hidden: 1 },
    secrets: ['1', '2'].map((id) => ({ secret_id: id, added_at: '2026-05-03T16:20:05Z' })),
    changes: [{ ...changeExample, add_redirect_uri: [], reason: null }],
    fields: fieldsOf(changeFields),
    signals: { ...(signals.example as SignalItem), last_error: null },
    usage: [{ day: '2026-05-03', tokens: 1, requests: [], refusals: [], limits: [] }],
  });
  const bare = publishedAddonPage({
    ...view,
    addon: { ...addon, confidential: false },
    organizations: { items: [], next: null, shown: 0, hidden: 0 },
    secrets: [],
    changes: [],
    fields: [],
    signals: null,
    usage: [],
  });
  expect([full, bare].map(outsideOf)).toEqual([[], []]);
  const lists = [
    { addons: [addon], next: 'x' },
    { addons: [], next: null },
  ].map((more) => publishedAddonsPage({ ...view, ...more }));
  expect(lists.map(outsideOf)).toEqual([[], []]);
  expect(outsideOf(newSecretPage({ ...view, clientId: '1', secret: 's' }))).toEqual([]);
});

test('PG-11: numbers, dates, lists and lengths of time are as the language writes them', () => {
  expect(countIn('de-DE')(1_000, { one: 'Tag', other: 'Tage' })).toBe('1.000 Tage');
  const polish = { one: 'dzień', few: 'dni', many: 'dni', other: 'dnia' };
  expect([1, 3, 5].map((n) => countIn('pl')(n, polish))).toEqual(['1 dzień', '3 dni', '5 dni']);
  const now = Date.parse('2026-05-03T22:30:00Z');
  const of = (tag: string, zone: string) => makeReader(chooseLanguage({ account: tag }), zone, now);
  const [here, there] = [of('en', 'UTC'), of('de', 'Europe/Berlin')];
  const times = ['2026-05-03T22:10:05Z', '2026-05-03T08:00:00Z', '2026-05-01T08:00:00Z'];
  expect(times.map(here.when)).toEqual([
    'today at 22:10 UTC',
    'today at 08:00 UTC',
    '1 May 2026 at 08:00 UTC',
  ]);
  expect(times.map(there.when)).toEqual([
    'heute um 00:10 MESZ',
    'gestern um 10:00 MESZ',
    '1. Mai 2026 um 10:00 MESZ',
  ]);
  expect([here.list(['a', 'b', 'c']), there.list(['a', 'b', 'c'])]).toEqual(['a, b and c', 'a, b und c']);
  expect([86_400, 2_592_000, 3_600, 90].map(there.duration)).toEqual([
    '1 Tag',
    '30 Tage',
    '1 Stunde',
    '90 Sekunden',
  ]);
  expect([isTimeZone('Europe/Berlin'), isTimeZone('UTC'), isTimeZone('Mars/Olympus')]).toEqual([
    true,
    true,
    false,
  ]);
});
