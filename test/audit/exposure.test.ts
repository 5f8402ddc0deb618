import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { organizationAccess } from '../../src/audit/event-lookup/organization-access.ts';
import { exposure, type Edge, type Exposure } from '../../src/audit/exposure/exposure.ts';
import type { LogReader, RecordedEvent } from '../../src/eventstore/event-store.ts';
import { memoryIndexes } from '../support/memory/memory-indexes.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { wholeLogAccess } from '../support/log/whole-log.ts';
import { decodeStored } from './decode-stored.ts';
import {
  aHistory,
  logOf,
  opensAndCloses,
  opensAndIsClosed,
  play,
  type History,
  type Step,
} from './histories.ts';
import { thenOf } from './then.ts';

const { signal } = new AbortController();
const window = { from: 0, to: 4e12, skip: 0, limit: 1000 };
const ask = (history: History, more: object = {}, lag = { history: 3, streams: 5 }) => {
  const { organizationId, addonId, events } = history;
  const request = { organizationId, addonId, ...window, ...more };
  const until = (events.at(-1) as RecordedEvent).position;
  const asked = { organizationId, addonId, records: 'all' } as const;
  const found = organizationAccess(memoryIndexes(events, lag), asked, { until, time: request.to, signal });
  return exposure({ events: found, decode: decodeStored }, request);
};

/** Which subjects' scopes were open right after this event. */
const openAt = ({ intervals }: Exposure, position: bigint, time: number): readonly string[] =>
  intervals
    .filter(({ opened, closed }) => {
      const begun = (opened.event?.position.commit ?? 0n) <= position;
      if (closed === null) return begun;
      return begun && (closed.event ? closed.event.position.commit > position : closed.at > time);
    })
    .map(({ subject, scope }) => `${subject.id} ${scope}`)
    .toSorted();

test('after every event of every history that is open which the prefix of the log says', async () => {
  let opened = 0;
  await fc.assert(
    fc.asyncProperty(aHistory, async (steps) => {
      const history = await play(steps);
      const { organizationId, events } = history;
      const found = await ask(history);
      for (const [index, { position, created }] of events.entries()) {
        const prefix = events.slice(0, index + 1);
        const expected = new Set<string>();
        for (const { grantId, openScopes } of thenOf(prefix, { organizationId, time: created }).grants) {
          const issued = prefix.find(({ stream }) => stream === `grant-${grantId}`)?.event;
          if (issued?.type !== 'AuthorizationCodeIssued') throw new Error('no grant');
          const { subject } = issued.data;
          const id = subject.kind === 'user' ? subject.userId : subject.organizationId;
          for (const scope of openScopes) expected.add(`${id} ${scope}`);
        }
        opened += expected.size;
        expect(openAt(found, position.commit, created)).toEqual([...expected].toSorted());
      }
    }),
    { ...propertyRuns(20), examples: [[opensAndCloses], [opensAndIsClosed]] },
  );
  expect(opened).toBeGreaterThan(0);
});

test('HI-01: by the indexes, however far they lag, it is the fold of the whole log', async () => {
  await fc.assert(
    fc.asyncProperty(
      aHistory,
      fc.nat(),
      fc.nat(),
      fc.nat(),
      fc.nat(),
      async (steps, from, to, seen, named) => {
        const history = await play(steps);
        const { events, organizationId, addonId } = history;
        const [one, other] = [from, to].map(
          (which) => (events[which % events.length] as RecordedEvent).created,
        ) as [number, number];
        const request = {
          organizationId,
          addonId,
          ...window,
          from: Math.min(one, other),
          to: Math.max(one, other),
        };
        const until = (events.at(-1) as RecordedEvent).position;
        const whole = wholeLogAccess(logOf(history), organizationId, { until, time: request.to });
        const expected = await exposure({ events: whole, decode: decodeStored }, request);
        const lag = { history: seen % (events.length + 1), streams: named % (events.length + 1) };
        expect(told(await ask(history, request, lag))).toEqual(told(expected));
      },
    ),
    propertyRuns(30),
  );
});

/** Of an edge's event no more than its place is told. */
const told = ({ intervals, tokens, ...rest }: Exposure) => {
  const edgeOf = (edge: Edge | null) => edge && { at: edge.at, event: edge.event?.position };
  return {
    ...rest,
    intervals: intervals.map(({ opened, closed, ...interval }) => ({
      ...interval,
      edges: [edgeOf(opened), edgeOf(closed)],
    })),
    tokens: tokens.map(({ token, closed }) => ({ token, closed: edgeOf(closed) })),
  };
};

const organizationGrant: Step = { do: 'grant', own: false, scopes: ['reservations:read'], elsewhere: false };
const reservation = (which: number, removed = false): Step => ({ do: 'reservation', which, removed });

test('an interval is exact to the event, with the records that could be read in it, each once', async () => {
  const history = await play([
    reservation(0),
    organizationGrant,
    reservation(1),
    reservation(1, true),
    reservation(1),
    { do: 'deactivate' },
    reservation(2),
  ]);
  const found = await ask(history);
  expect(found.intervals).toMatchObject([
    {
      subject: { kind: 'organization', id: history.organizationId },
      scope: 'reservations:read',
      opened: { event: { type: 'AuthorizationCodeRedeemed' } },
      closed: { event: { type: 'AddonDeactivated' } },
      records: 2,
    },
  ]);
  expect(found.tokens).toMatchObject([
    { token: { rotation: 0 }, closed: { event: { type: 'AddonDeactivated' } } },
  ]);
});

test('without an event a token closes what it opened when it expires; a window counts only what lies in it', async () => {
  const history = await play([
    organizationGrant,
    reservation(0),
    { do: 'pass', seconds: 1800 },
    reservation(0, true),
    reservation(1),
    { do: 'pass', seconds: 86_400 },
  ]);
  const last = history.events.at(-1)?.created ?? 0;
  const [whole] = (await ask(history)).intervals;
  expect(whole).toMatchObject({ closed: { event: null, at: last + 1_800_000 }, records: 2 });
  const [part] = (await ask(history, { from: last + 1 })).intervals;
  expect(part).toMatchObject({ records: 1, opened: whole?.opened });
  expect((await ask(history, { from: last + 1_800_001 })).intervals).toEqual([]);
  expect((await ask(history, { from: last + 1_800_001 })).tokens).toEqual([]);
  expect((await ask(history, { to: last })).intervals).toMatchObject([{ closed: null, records: 2 }]);
});

test('a user’s own grant opens what the organization’s profiles of that user hold, as long as they do', async () => {
  const own: Step = { do: 'grant', own: true, scopes: ['reservations:read'], elsewhere: false };
  const history = await play([
    reservation(0),
    reservation(2),
    own,
    { do: 'profile', linked: true },
    { do: 'profile', linked: false },
  ]);
  expect((await ask(history)).intervals).toMatchObject([
    {
      subject: { kind: 'user', id: history.userId },
      opened: { event: { type: 'ProfileRecorded' } },
      closed: { event: { type: 'ProfileRecorded' } },
      records: 1,
    },
  ]);
});

test('more than is asked for is counted, with where to continue', async () => {
  const history = await play([
    organizationGrant,
    { do: 'deactivate' },
    { do: 'activate' },
    organizationGrant,
  ]);
  const all = await ask(history);
  expect(all.intervalsInAll).toBe(2);
  const first = await ask(history, { limit: 1 });
  const second = await ask(history, { limit: 1, skip: 1 });
  expect([...first.intervals, ...second.intervals]).toEqual(all.intervals);
  expect(first.intervalsInAll).toBe(2);
});

test('FX-34: no stream of a record is read, however many there are', async () => {
  const reservations = Array.from({ length: 40 }, (_, which) => reservation(which));
  const { events, organizationId, addonId } = await play([...reservations, organizationGrant]);
  const indexes = memoryIndexes(events, { history: events.length, streams: events.length });
  const readStored = vi.fn<LogReader['readStored']>((...asked) => indexes.log.readStored(...asked));
  const until = (events.at(-1) as RecordedEvent).position;
  const found = await exposure(
    {
      events: organizationAccess(
        { ...indexes, log: { ...indexes.log, readStored } },
        { organizationId, addonId, records: 'all' },
        { until, signal },
      ),
      decode: decodeStored,
    },
    { organizationId, addonId, ...window },
  );
  expect(found.intervals).toMatchObject([{ records: 40 }]);
  const read = new Set(readStored.mock.calls.map(([stream]) => stream.slice(0, stream.indexOf('-'))));
  expect([...read].toSorted()).toEqual(['account', 'activation', 'addon', 'grant', 'organization']);
});
