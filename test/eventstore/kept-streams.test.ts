import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.ts';
import { accountStream } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { type LogEvent, makeKeptStreams } from '../../src/eventstore/client/kept-streams.ts';
import { makeSeenRevisions } from '../../src/eventstore/client/seen-revisions.ts';
import { EventStoreUnavailable } from '../../src/eventstore/event-store.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { testEventStore } from '../support/servers/test-event-store.ts';
import { quietLogger } from '../support/quiet-logger.ts';

const store = await testEventStore({ keep: ['account'] });
const other = connectEventStore({ url: store.node.url, logger: quietLogger() });
afterEach(() => store.node.faults.clear());
afterAll(async () => {
  await other.close();
  await store.close();
});

const event = (epoch: number): DomainEvent => ({ type: 'AccountDisabled', data: { epoch, at: 1 } });
let streams = 0;
const fresh = () => accountStream(`K${++streams}`);

/** Streams of one event each, which the store keeps. */
const keptStreams = async (amount: number) => {
  const names = Array.from({ length: amount }, fresh);
  for (const name of names) await other.append(name, 'no-stream', [{ event: event(1) }]);
  for (const name of names) await store.read(name);
  return names;
};

/** Calls to read that the server gets. */
const countReads = () =>
  store.node.faults.read({ kind: 'end', status: 'OK', afterEvents: 1_000_000 }, { times: Infinity });

test('streams that are kept are brought up to date by one read of the log, whoever appended', async () => {
  const [first = fresh(), ...rest] = await keptStreams(5);
  await other.append(first, 0n, [{ event: event(2) }]);
  const reads = countReads();
  const found = await Promise.all([first, ...rest].map((name) => store.read(name)));
  expect(found.map(({ revision }) => revision)).toEqual([1n, 0n, 0n, 0n, 0n]);
  expect(found[0]?.events.map(({ event: each }) => each)).toEqual([event(1), event(2)]);
  expect(reads.hits()).toBe(1);
  expect(await store.readBack(first, 'end', 1)).toMatchObject({ revision: 1n, further: 0n });
  expect(reads.hits()).toBe(2);
});

test('a stream that is not there is kept, too, until it is', async () => {
  const stream = fresh();
  await store.read(stream);
  const reads = countReads();
  expect(await store.read(stream)).toEqual({ events: [], revision: 'no-stream' });
  await other.append(stream, 'no-stream', [{ event: event(1) }]);
  expect((await store.read(stream)).revision).toBe(0n);
  expect(reads.hits()).toBe(2);
});

test('a stream that another process removed reads as empty', async () => {
  const [stream = fresh()] = await keptStreams(1);
  await other.remove(stream, 0n);
  expect(await store.read(stream)).toEqual({ events: [], revision: 'no-stream' });
});

test('after more events than are worth reading, streams are read anew, and kept again', async () => {
  const [stream = fresh(), busy = fresh()] = await keptStreams(2);
  const many = Array.from({ length: 150 }, (_, n) => ({ event: event(n + 2) }));
  await other.append(busy, 0n, [...many, { event: event(2) }]);
  await other.append(stream, 0n, [{ event: event(2) }]);
  expect((await store.read(stream)).revision).toBe(1n);
  const reads = countReads();
  expect((await store.read(stream)).revision).toBe(1n);
  expect(reads.hits()).toBe(1);
});

test('an account that may not read the whole log reads streams one by one', async () => {
  const [stream = fresh()] = await keptStreams(1);
  const reader = connectEventStore({ url: store.node.url, keep: ['account'], logger: quietLogger() });
  await reader.read(stream);
  const allow = store.node.faults.deny('read-all');
  await other.append(stream, 0n, [{ event: event(2) }]);
  expect((await reader.read(stream)).revision).toBe(1n);
  allow();
  await reader.close();
});

test('FX-42: what a deposed leader still holds is not taken for the newest, of a kept stream either', async () => {
  const own = await testEventStore({ keep: ['account'] });
  const stream = fresh();
  const first = await own.append(stream, 'no-stream', [{ event: event(1) }]);
  if (!first.ok) throw new Error('not written');
  await own.read(stream);
  await own.append(stream, 0n, [{ event: event(2) }]);
  const asOf = { kind: 'as-of', position: first.position.commit } as const;
  own.node.faults.read(asOf, { times: Infinity });
  await expect(own.read(stream)).rejects.toThrow(EventStoreUnavailable);
  own.node.faults.clear();
  expect((await own.read(stream)).revision).toBe(1n);
  await own.close();
});

test('FX-42: a log that ends before an append of this process is not the newest, whatever was appended', async () => {
  const [stream = fresh()] = await keptStreams(1);
  const known = await store.head();
  await other.append(stream, 0n, [{ event: event(2) }]);
  await store.append(fresh(), 'no-stream', [{ event: event(1) }]);
  const stale = store.node.faults.read({ kind: 'as-of', position: known?.commit ?? 0n });
  expect((await store.read(stream)).revision).toBe(1n);
  expect(stale.hits()).toBe(1);
});

test('what was seen of a stream is not unseen by a log that has less of it', async () => {
  const log = makeLog();
  const seen = makeSeenRevisions();
  const kept = keptOf(log, seen);
  const read = async () => log.textOf((await ended(log, kept.whole('account-1'))) ?? []);
  log.append('account-1');
  await read();
  expect(log.calls()).toEqual(['newest', 'load']);
  await read();
  expect(log.calls()).toEqual(['newest', 'load', 'from']);
  seen.note('account-1', 1n);
  await read();
  expect(log.calls()).toEqual(['newest', 'load', 'from', 'from', 'load']);
});

test('what is new in a stream while it is read for the first time is not missed', async () => {
  const log = makeLog();
  const kept = keptOf(log, makeSeenRevisions());
  log.append('account-1');
  await ended(log, kept.whole('account-1'));
  const first = kept.whole('account-2');
  await expect.poll(() => log.calls()).toEqual(['newest', 'load', 'load']);
  log.goOn(0);
  await setImmediate(); // it has seen an empty stream, and is not answered yet
  log.append('account-2');
  const meanwhile = kept.whole('account-1');
  await expect.poll(() => log.calls().at(-1)).toBe('from');
  const notTheFirst = 1;
  while (log.underWay() > 1) {
    log.goOn(notTheFirst);
    await setImmediate();
  }
  await meanwhile;
  expect(await ended(log, first)).toEqual([]);
  expect(await ended(log, kept.whole('account-2'))).toHaveLength(1);
});

test('what this process appended itself it need not read to know that there is much', async () => {
  const log = makeLog();
  const seen = makeSeenRevisions();
  const kept = keptOf(log, seen);
  log.append('account-1');
  await ended(log, kept.whole('account-1'));
  log.append('account-2');
  seen.noteAppended({ commit: 2n, prepare: 2n }, 100);
  await ended(log, kept.whole('account-1'));
  expect(log.calls()).toEqual(['newest', 'load', 'newest', 'load']);
});

type Step =
  | { readonly kind: 'append' | 'remove' | 'read' | 'tail'; readonly stream: number }
  | { readonly kind: 'lose'; readonly amount: number }
  /** One of the calls under way goes on. */
  | { readonly kind: 'go on'; readonly which: number };

const ofAStream = <K extends Step['kind']>(kind: K) =>
  fc.record({ kind: fc.constant(kind), stream: fc.nat(1) }) as fc.Arbitrary<Step>;
const aStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: ofAStream('append') },
  { weight: 6, arbitrary: ofAStream('read') },
  { weight: 1, arbitrary: ofAStream('tail') },
  { weight: 1, arbitrary: ofAStream('remove') },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('lose' as const), amount: fc.integer({ min: 1, max: 2 }) }),
  },
  { weight: 20, arbitrary: fc.record({ kind: fc.constant('go on' as const), which: fc.nat(5) }) },
);

const tombstone = '$streamDeleted';

/** A log in memory, whose reads go on step by step: each sees one moment between its call and its answer. */
const makeLog = () => {
  let log: LogEvent[] = [];
  let ids = 0;
  const states = new Map<string, string[]>();
  const underWay: (() => void)[] = [];
  const calls: string[] = [];
  const stored = (stream: string) => log.filter(({ streamId }) => streamId === stream);
  const isRemoved = (stream: string) => stored(stream).some(({ type }) => type === tombstone);
  const of = (stream: string): readonly LogEvent[] => (isRemoved(stream) ? [] : stored(stream));
  const textOf = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id).join(' ');
  const statesOf = (stream: string) => states.get(stream) ?? [''];
  const note = (stream: string) => void states.set(stream, [...statesOf(stream), textOf(of(stream))]);
  const put = (streamId: string, type: string) => {
    const position = BigInt(log.length + 1);
    const revision = type === tombstone ? 2n ** 63n - 1n : BigInt(of(streamId).length);
    const place = { position: { commit: position, prepare: position }, revision };
    log.push({ id: `e${++ids}`, streamId, type, data: {}, created: new Date(0), ...place });
    note(streamId);
  };
  const aMoment = () => new Promise<void>((resolve) => void underWay.push(resolve));
  const read = async <T>(call: string, look: () => T): Promise<T> => {
    calls.push(call);
    await aMoment();
    const found = look();
    await aMoment();
    return found;
  };
  return {
    statesOf,
    textOf,
    calls: () => calls,
    underWay: () => underWay.length,
    goOn: (which: number) => underWay.splice(which % Math.max(1, underWay.length), 1)[0]?.(),
    append: (stream: string) => void (isRemoved(stream) || put(stream, 'Happened')),
    remove: (stream: string) => void (of(stream).length === 0 || put(stream, tombstone)),
    /** Events that a node had, and its cluster has not: never a removal, which is announced long before. */
    lose(amount: number) {
      const lost = log.slice(-amount);
      if (lost.some(({ type }) => type === tombstone)) return;
      log = log.slice(0, -amount);
      for (const stream of new Set(lost.map(({ streamId }) => streamId))) note(stream);
    },
    load: (stream: string) => read('load', () => of(stream)),
    newest: () => read('newest', () => log.at(-1) ?? null),
    from: (position: { readonly commit: bigint }, count: number) =>
      read('from', () => log.filter((each) => each.position.commit >= position.commit).slice(0, count)),
  };
};

const keptOf = (log: ReturnType<typeof makeLog>, seen: ReturnType<typeof makeSeenRevisions>) =>
  makeKeptStreams({ categories: ['account'], seen, confirmLeader: () => Promise.resolve(), ...log });

/** Lets every call go on until this one has ended. */
const ended = async <T>(log: ReturnType<typeof makeLog>, work: Promise<T>): Promise<T> => {
  let isUnderWay = true;
  const end = () => void (isUnderWay = false);
  work.then(end, end);
  while (isUnderWay) {
    log.goOn(0);
    await setImmediate();
  }
  return work;
};

test('whatever happens meanwhile, a read shows a state that the stream had after the call', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aStep, { minLength: 20, maxLength: 150 }), async (steps) => {
      const log = makeLog();
      const kept = keptOf(log, makeSeenRevisions());
      const check = async (stream: string, isTail: boolean) => {
        const earlier = log.statesOf(stream).length - 1;
        const found = isTail ? await kept.tail(stream, 1) : await kept.whole(stream);
        const had = log.statesOf(stream).slice(earlier);
        const shown = log.textOf(found ?? []);
        expect(isTail ? had.map((state) => state.split(' ').at(-1)) : had).toContain(shown);
      };
      const reads: Promise<unknown>[] = [];
      for (const step of steps) {
        if (step.kind === 'lose') log.lose(step.amount);
        else if (step.kind === 'go on') log.goOn(step.which);
        else if (step.kind === 'append' || step.kind === 'remove') log[step.kind](`account-${step.stream}`);
        else reads.push(check(`account-${step.stream}`, step.kind === 'tail').catch(String));
        await setImmediate();
      }
      expect((await ended(log, Promise.all(reads))).filter(Boolean)).toEqual([]);
    }),
    propertyRuns(300),
  );
});
