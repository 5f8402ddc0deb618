import { expect, test } from 'vitest';
import { fold } from '../../../src/domain/kernel/decision.ts';
import {
  confirmExpired,
  type ExpiredMessageEvent,
  expiredMessagesDecider,
  messagesIn,
  missingOf,
  noteExpired,
  sinceOf,
} from '../../../src/domain/records/expired-messages.ts';

type Step = (state: ReturnType<typeof after>) => { readonly events: readonly ExpiredMessageEvent[] };

const after = (events: readonly ExpiredMessageEvent[]) => fold(expiredMessagesDecider, events);

/** What is missing after some steps, and how many events each appended. */
const story = (...steps: readonly Step[]) => {
  const events: ExpiredMessageEvent[] = [];
  const appended = steps.map((step) => {
    const decided = step(after(events)).events;
    events.push(...decided);
    return decided.length;
  });
  return { appended, missing: missingOf(after(events)) };
};

const place = { records: 'profiles', topic: 'host.profiles', partition: 3 } as const;
const gap =
  (from: number | null, until: number, more: Partial<typeof place> & { readonly at?: number } = {}): Step =>
  (state) =>
    noteExpired(state, {
      ...place,
      at: 1,
      ...more,
      from: from === null ? null : BigInt(from),
      until: BigInt(until),
    });
const confirmed: Step = (state) => confirmExpired(state, { records: 'profiles', by: 'break-glass', at: 9 });
const ranges = (missing: ReturnType<typeof missingOf>) => missing.map(({ from, until }) => [from, until]);

test('FX-72: what expired unread is counted once, however often it is found', () => {
  const { appended, missing } = story(gap(10, 15, { at: 5 }), gap(10, 15), gap(null, 15));
  expect(appended).toEqual([1, 0, 0]);
  expect(ranges(missing)).toEqual([[10n, 15n]]);
  expect([messagesIn(missing), sinceOf(missing)]).toEqual([5n, 5]);
});

test('FX-72: a reader that finds a longer gap adds what it is longer by, also where nothing is committed any more', () => {
  expect(ranges(story(gap(10, 15), gap(10, 18), gap(null, 20)).missing)).toEqual([
    [10n, 15n],
    [15n, 18n],
    [18n, 20n],
  ]);
});

test('FX-72: without a committed offset, everything that the partition no longer has is missing', () => {
  expect(ranges(story(gap(null, 4)).missing)).toEqual([[0n, 4n]]);
});

test('FX-72: another partition, and a new topic of the same name, have gaps of their own', () => {
  const { missing } = story(gap(10, 15), gap(10, 15, { partition: 4 as never }), gap(11, 13));
  expect(ranges(missing)).toEqual([
    [10n, 15n],
    [10n, 15n],
    [11n, 13n],
  ]);
});

test('FX-72: a confirmation covers what was found of its records before, and nothing after or of others', () => {
  const others = gap(1, 2, { records: 'reservations' as never, topic: 'host.reservations' as never });
  const { appended, missing } = story(gap(10, 15), others, confirmed, confirmed, gap(10, 15), gap(20, 21));
  expect(appended).toEqual([1, 1, 1, 0, 0, 1]);
  expect(missing.map(({ records, from }) => [records, from])).toEqual([
    ['reservations', 1n],
    ['profiles', 20n],
  ]);
});
