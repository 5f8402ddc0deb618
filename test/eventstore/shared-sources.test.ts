import { expect, test, vi } from 'vitest';
import type { EventType } from '../../src/domain/events.ts';
import type { LogMessage, Position } from '../../src/eventstore/event-store.ts';
import { type OpenTypes, shareSources } from '../../src/eventstore/client/shared-sources.ts';
import { followLog } from '../../src/eventstore/client/subscription.ts';
import type { Arrival, Source } from '../../src/eventstore/client/subscription-source.ts';
import { decodeOnce, type TakeEvents } from '../../src/eventstore/client/take-events.ts';
import { patience } from '../support/patience.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { seed } from '../support/seed.ts';
import { seededRandom } from '../durability/random.ts';

type StoredEvent = Extract<Arrival, { readonly kind: 'event' }>['event'];

const at = (commit: number): Position => ({ commit: BigInt(commit), prepare: BigInt(commit) });

/** A log of numbered events, and all calls that are open on it. */
const makeLog = () => {
  const events: StoredEvent[] = [];
  const calls = new Set<{ readonly types: readonly string[]; wake(): void; drop(cause: unknown): void }>();
  const decoded: bigint[] = [];
  let opened = 0;
  const open: OpenTypes = ({ after, types }): Source => {
    opened += 1;
    let next = after === null ? 0 : Number(after.commit) + 1;
    let wasAtEnd = false;
    let ended: { readonly cause: unknown } | null = null;
    let wake = () => {};
    const end = (cause: unknown) => {
      ended ??= { cause };
      calls.delete(call);
      wake();
    };
    const call = { types, wake: () => wake(), drop: end };
    calls.add(call);
    const arriving = (): Arrival[] => {
      const found = events.slice(next, next + 50);
      next += found.length;
      const arrivals: Arrival[] = found
        .filter(({ type }) => types.includes(type))
        .map((event) => ({ kind: 'event', event }));
      if (next < events.length || wasAtEnd) return arrivals;
      wasAtEnd = true;
      return [...arrivals, { kind: 'caught-up' }];
    };
    return {
      ending: () => ended?.cause,
      stop: () => end(undefined),
      async take() {
        for (;;) {
          if (ended) return null;
          const arrivals = arriving();
          await new Promise(setImmediate);
          if (arrivals.length > 0) return ended ? null : arrivals;
          if (next === events.length && !ended) await new Promise<void>((resolve) => (wake = resolve));
        }
      },
    };
  };
  const take = decodeOnce({
    prepare: (all: unknown) => Promise.resolve(all),
    read: (stored: StoredEvent) => {
      decoded.push(stored.revision);
      return { kind: 'event', event: { ...stored, stream: stored.streamId } };
    },
  } as unknown as TakeEvents);
  const shared = shareSources(open, 5);
  return {
    events,
    calls,
    decoded,
    opened: () => opened,
    typesOfCalls: () => [...calls].map(({ types }) => types.toSorted().join()).toSorted(),
    append(...types: readonly EventType[]) {
      for (const type of types) {
        const place = events.length;
        const stored = {
          id: String(place),
          streamId: 'grant-1',
          revision: BigInt(place),
          position: at(place),
        };
        events.push({ ...stored, type } as unknown as StoredEvent);
      }
      for (const call of calls) call.wake();
    },
    follow: (eventTypes: readonly EventType[], signal: AbortSignal, after: Position | null = null) =>
      followLog(
        { open: shared, take, logger: quietLogger(), longestWaitMs: 10 },
        { after, eventTypes, signal },
      ),
  };
};

type Log = ReturnType<typeof makeLog>;

const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: patience, interval: 5 });

/** Follows until it is left, and keeps what came. @param busy waits before it asks for more */
const startReader = (
  log: Log,
  types: readonly EventType[],
  busy: () => Promise<unknown> = async () => {},
) => {
  const leaving = new AbortController();
  const places: number[] = [];
  const messages: LogMessage[] = [];
  const run = async () => {
    for await (const batch of log.follow(types, leaving.signal)) {
      for (const message of batch) {
        messages.push(message);
        if (message.kind === 'event') places.push(Number(message.event.position.commit));
      }
      await busy();
    }
  };
  const running = run();
  return {
    types,
    places,
    messages,
    isAtEnd: () => messages.some(({ kind }) => kind === 'caught-up'),
    async leave() {
      leaving.abort();
      await running;
    },
  };
};

const placesOf = (log: Log, types: readonly EventType[]): number[] =>
  log.events.flatMap(({ type }, place) => ((types as readonly string[]).includes(type) ? [place] : []));

test('readers that have reached the end share one call and one decoding, and it asks for no more than they need', async () => {
  const log = makeLog();
  log.append('GrantRevoked', 'SessionEnded', 'TokensRefreshed');
  const first = startReader(log, ['GrantRevoked', 'TokensRefreshed']);
  const second = startReader(log, ['TokensRefreshed', 'SessionEnded']);
  await until(() => first.isAtEnd() && second.isAtEnd() && log.calls.size === 1);
  expect(log.typesOfCalls()).toEqual(['GrantRevoked,SessionEnded,TokensRefreshed']);
  expect(log.opened()).toBe(3); // whoever is alone keeps the call of its own
  log.decoded.length = 0;
  log.append('TokensRefreshed', 'GrantRevoked', 'SessionEnded');
  await until(() => first.places.length === 4 && second.places.length === 4);
  expect(first.places).toEqual([0, 2, 3, 4]);
  expect(second.places).toEqual([1, 2, 3, 5]);
  expect(log.decoded).toEqual([3n, 4n, 5n]);
  await second.leave();
  await until(() => log.typesOfCalls().join() === 'GrantRevoked,TokensRefreshed');
  await first.leave();
  expect(log.calls.size).toBe(0);
});

test('what others read moves a reader on, too', async () => {
  const log = makeLog();
  const rare = startReader(log, ['GrantRevoked']);
  const busy = startReader(log, ['TokensRefreshed']);
  await until(() => rare.isAtEnd() && busy.isAtEnd() && log.calls.size === 1);
  for (let count = 0; count < 3_000; count += 1) log.append('TokensRefreshed');
  await until(() => busy.places.length === 3_000);
  const moved = rare.messages.filter(({ kind }) => kind === 'checkpoint');
  expect(moved).toEqual([1_023, 2_047].map((place) => ({ kind: 'checkpoint', position: at(place) })));
  await Promise.all([rare.leave(), busy.leave()]);
});

test('a reader that is too slow goes on alone, holds nobody up, misses nothing, and comes back', async () => {
  const log = makeLog();
  let go = () => {};
  let isHeld = false;
  const gate = new Promise<void>((resolve) => (go = resolve));
  const slow = startReader(log, ['TokensRefreshed'], () => (isHeld ? gate : Promise.resolve()));
  const quick = startReader(log, ['TokensRefreshed', 'GrantRevoked']);
  await until(() => slow.isAtEnd() && quick.isAtEnd() && log.calls.size === 1);
  isHeld = true;
  for (let count = 0; count < 6_000; count += 1) log.append('TokensRefreshed');
  await until(() => quick.places.length === 6_000);
  expect(slow.places.length).toBeLessThan(3_000);
  go();
  await until(() => slow.places.length === 6_000 && log.calls.size === 1);
  log.append('TokensRefreshed');
  await until(() => slow.places.length === 6_001 && quick.places.length === 6_001);
  expect(slow.places).toEqual(placesOf(log, slow.types));
  expect(log.opened()).toBeGreaterThan(4); // one of its own again, and a shared one again
  await Promise.all([slow.leave(), quick.leave()]);
});

test.each([new Error('lost'), undefined, Object.assign(new Error('Invalid position'), { code: 3 })])(
  'when the shared call drops (%s), each resumes where it was',
  async (cause) => {
    const log = makeLog();
    log.append('GrantRevoked');
    const readers = [startReader(log, ['GrantRevoked']), startReader(log, ['TokensRefreshed'])];
    await until(() => readers.every((reader) => reader.isAtEnd()) && log.calls.size === 1);
    for (const call of log.calls) call.drop(cause);
    log.append('TokensRefreshed', 'GrantRevoked');
    await until(() => log.opened() > 4 && log.calls.size === 1);
    expect(readers.map(({ places }) => places)).toEqual([[0, 2], [1]]);
    await Promise.all(readers.map((reader) => reader.leave()));
  },
);

test('whoever comes, goes, hesitates or is dropped, each reader has each of its events once and in order', async () => {
  const random = seededRandom(seed);
  const all = ['GrantRevoked', 'TokensRefreshed', 'SessionEnded', 'AccountDisabled'] as const;
  const some = () => {
    const chosen = all.filter(() => random() < 0.5);
    return chosen.length > 0 ? chosen : [all[0]];
  };
  const hesitate = async () => {
    if (random() < 0.2) await new Promise((resolve) => setTimeout(resolve, random() * 8));
  };
  const log = makeLog();
  const present: ReturnType<typeof startReader>[] = [];
  const left: (readonly [seen: readonly number[], expected: readonly number[]])[] = [];
  for (let turn = 0; turn < 400; turn += 1) {
    const what = random();
    if (what < 0.08 || present.length === 0) present.push(startReader(log, some(), hesitate));
    else if (what < 0.13) {
      const [reader] = present.splice(Math.floor(random() * present.length), 1);
      await reader?.leave();
      if (reader) left.push([reader.places, placesOf(log, reader.types).slice(0, reader.places.length)]);
    } else if (what < 0.17) [...log.calls].at(Math.floor(random() * log.calls.size))?.drop(new Error('lost'));
    else log.append(...Array.from({ length: Math.ceil(random() * 20) }, () => some()[0] ?? all[0]));
    await hesitate();
  }
  expect(left.map(([seen]) => seen)).toEqual(left.map(([, expected]) => expected));
  for (const { types, places } of present) {
    const expected = placesOf(log, types);
    await until(() => places.length >= expected.length);
    expect(places).toEqual(expected);
  }
  await until(() => log.calls.size <= 1);
  await Promise.all(present.map((reader) => reader.leave()));
  expect(log.calls.size).toBe(0);
});
