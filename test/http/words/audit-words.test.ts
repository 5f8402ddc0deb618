import { expect, test } from 'vitest';
import { exposurePage } from '../../../src/http/audit/views/exposure-page.ts';
import { grantsPage, type DrawnGrant } from '../../../src/http/audit/views/grants-page.ts';
import { filterFields } from '../../../src/http/audit/views/history-filters.ts';
import {
  auditHomePage,
  logPage,
  questionsPage,
  unusedPage,
} from '../../../src/http/audit/views/question-pages.ts';
import { timelinePage, type TimelineView } from '../../../src/http/audit/views/timeline-page.ts';
import { brandView } from '../../../src/http/pages/brand-view.ts';
import { makeReader } from '../../../src/http/words/reader.ts';
import { outsideOf, third } from '../../support/documents/third-language.ts';

const time = '2026-05-03T16:20:05.000Z';
const reader = makeReader(third, 'UTC');
const named = <Kind extends string>(kind: Kind, id: string) => ({ kind, id, name: id });
const [ada, door, harbour] = [
  named('user', 'ADA'),
  named('addon', 'DOOR'),
  named('organization', 'HARBOUR'),
] as const;
const because = {
  kind: 'addon-deactivated',
  cause: { time, actor: ada, place: 'activation-HARBOUR-DOOR@1' },
  given: null,
} as const;

const common = {
  base: '',
  reader,
  signedIn: 'Ada',
  brand: brandView(null),
  areas: [],
  forAdministrators: false,
  organization: { organizationId: 'HARBOUR', name: 'Harbour' },
  fields: filterFields(reader, ['addon', 'user', 'type', 'actor', 'from'], new Map(), [], []),
  problems: [],
  addons: [{ addonId: 'DOOR', name: 'DOOR' }],
  choice: null,
  now: 0,
};

const entry: TimelineView['entries'][number] = {
  position: { commit: 1n, prepare: 1n },
  place: '1/1',
  time,
  stream: 'grant-G',
  revision: 3n,
  eventId: 'E',
  type: 'GrantRevoked',
  act: ['E'],
  actor: { kind: 'break-glass' },
  tokenId: 'T',
  words: [],
  why: [],
  because,
  source: {
    event: { type: 'GrantRevoked', data: { reason: 'addon-deactivated', at: 0 } },
    streamId: 'G',
    owner: { organizationId: null, addonId: 'DOOR', userId: 'ADA' },
    names: new Map([['DOOR', 'Door']]),
    grants: new Map(),
  },
  concerns: [door, ada],
  told: [{ addon: door, event: 'x/y', jti: 'J', state: 'refused', acknowledgedAt: time }],
};

const bar: DrawnGrant = {
  grantId: 'G',
  subject: harbour,
  approvedBy: ada,
  addon: door,
  scopes: ['profiles:read'],
  issuedAt: time,
  endedAt: time,
  redeemedAt: null,
  lastTokenAt: time,
  lastReadAt: time,
  reason: 'addon-deactivated',
  why: [],
  because,
  kind: 'addon-deactivated',
  left: 1,
  width: 2,
  beganBefore: false,
  goesOn: false,
};

const files = { csv: '/c', ndjson: '/n' };
const timelines = { earlier: '/e', later: '/l', files, upTo: '1/1', dropped: ['2026-01'] };
const head = { size: 1, root: 'r', at: time };
const verified = { size: 1, checkedAt: time, removed: { session: 2 } };
const people = { parameter: 'user', text: 'Ada', ids: ['ADA'], others: {} } as const;

test.each([
  ['events', timelinePage({ ...common, ...timelines, entries: [entry] })],
  [
    'events that cannot be read',
    timelinePage({
      ...common,
      ...timelines,
      entries: [
        { ...entry, source: 'unreadable' },
        { ...entry, source: 'newer-version' },
      ],
    }),
  ],
  ['no events', timelinePage({ ...common, ...timelines, entries: [] })],
  [
    'a refused filter',
    timelinePage({ ...common, ...timelines, problems: [{ parameter: 'from', allowed: '' }], entries: [] }),
  ],
  ['several people', timelinePage({ ...common, ...timelines, choice: people, entries: [] })],
  ['questions', questionsPage(common)],
  ['organizations', auditHomePage({ ...common, organizations: [common.organization, common.organization] })],
  ['no organization', auditHomePage({ ...common, organizations: [] })],
  [
    'grants',
    grantsPage({
      ...common,
      grants: [bar],
      ticks: [{ at: 2, label: null, isMain: false }],
      present: 3,
      earlier: '/e',
    }),
  ],
  ['the log', logPage({ ...common, answer: { from: time, head, newest: head, verified } })],
  ['unused access', unusedPage({ ...common, days: 2, grants: [], next: '/n' })],
  [
    'an answer that takes long',
    exposurePage({ ...common, answer: null, waiting: { again: '/', events: 2, upTo: time, isBusy: false } }),
  ],
  [
    'what was read',
    exposurePage({
      ...common,
      answer: {
        addon: 'Door',
        from: time,
        to: time,
        intervals: [
          { subject: 'Harbour', scope: 'profiles:read', opened: time, closed: null, records: null },
        ],
        reads: [{ grantId: 'G', list: '1', pages: 1, records: 1, networks: [], from: time, until: time }],
        more: true,
        countedSince: time,
        unattributed: 2,
      },
    }),
  ],
])('PG-11: %s in a made-up third language have no text of another', (_name, html) => {
  // What `Intl` writes, and the letters of bars.
  const others = /<(h3 class="day"|text [^>]*)>[^<]*<\/\w+>/g;
  expect(outsideOf(html.replace(others, ''))).toEqual([]);
});

test('PG-22: what caused an event happened today at a time, not "at today"', () => {
  const cause = { time: new Date().toISOString(), actor: ada, place: 'activation-HARBOUR.DOOR@1' };
  const view = { ...common, reader: makeReader(), ...timelines };
  const html = timelinePage({ ...view, entries: [{ ...entry, because: { ...because, cause } }] });
  expect(html.replaceAll(/<[^>]*>/g, '')).toMatch(
    /because the add-on was deactivated today at \d\d:\d\d by ADA/,
  );
});

test('PG-09: a grant in a sentence is a link, whatever the language', () => {
  const link = '<a href="/audit?organization=HARBOUR&amp;grant=G">⟦grant⟧</a>';
  expect(timelinePage({ ...common, ...timelines, entries: [entry] })).toContain(`⟦The ${link} of`);
});
