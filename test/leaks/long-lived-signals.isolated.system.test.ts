import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { linkAbort, underAny } from '../../src/common/linked-abort.ts';
import { catchUpOn } from '../../src/projections/follow/catch-up.ts';
import { sampleLag } from '../../src/projections/operations/sample-lag.ts';
import { readAhead } from '../../src/projections/follow/read-ahead.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { testEventStore, type TestEventStore } from '../support/servers/test-event-store.ts';

/**
 * What a signal keeps: its listeners, and the signals that were made of it by `AbortSignal.any`, which Node 20 forgets only when
 * the signal itself goes.
 */
const keptBy = (signal: AbortSignal): number => {
  const symbol = Object.getOwnPropertySymbols(signal).find(
    ({ description }) => description === 'kDependantSignals',
  );
  const dependants = symbol
    ? (signal as unknown as Record<symbol, ReadonlySet<unknown> | undefined>)[symbol]
    : undefined;
  return getEventListeners(signal, 'abort').length + (dependants?.size ?? 0);
};

const times = 20;
/** What a signal keeps of work that was done under it again and again. */
const keptAfter = async (work: (signal: AbortSignal) => Promise<unknown>): Promise<number> => {
  const { signal } = new AbortController();
  for (let time = 0; time < times; time += 1) await work(signal);
  return keptBy(signal);
};

test('the measure sees what AbortSignal.any keeps', () => {
  const { signal } = new AbortController();
  AbortSignal.any([signal]);
  expect(keptBy(signal)).toBe(1);
});

describe('a signal that lives for weeks keeps nothing', () => {
  let store: TestEventStore;
  beforeAll(async () => {
    store = await testEventStore();
  });
  afterAll(() => store.close());

  test('of subscriptions that were left', async () => {
    const kept = await keptAfter(async (signal) => {
      const messages = store.subscribe({ after: null, eventTypes: ['AddonActivated'], signal });
      for await (const message of messages) if (message.kind === 'caught-up') break;
    });
    expect(kept).toBe(0);
  });

  test('of readings of the log', async () => {
    const kept = await keptAfter(async (signal) => {
      for await (const event of store.readLog({ after: null, signal })) expect(event).toBeDefined();
    });
    expect(kept).toBe(0);
  });

  test('of waiting for the read models', async () => {
    const progress = { checkpoint: () => Promise.resolve(null), waitFor: () => Promise.resolve(true) };
    const log = memoryStore();
    expect(await keptAfter((signal) => catchUpOn({ log, progress }, ['AddonActivated'], signal))).toBe(0);
  });

  test('of workers that lead again and again', async () => {
    const log = memoryStore();
    const kept = await keptAfter(async (signal) => {
      const ahead = readAhead(log, { after: null, eventTypes: ['AddonActivated'], signal }, 10);
      await ahead.take(1);
      await ahead.leave();
    });
    expect(kept).toBe(0);
  });

  test('of looks at the lag', async () => {
    const signals: AbortSignal[] = [];
    const log = memoryStore();
    const sampler = sampleLag({
      log: {
        head: () => Promise.resolve({ commit: BigInt(signals.length), prepare: 0n }), // it moves

        subscribe: (options) => {
          signals.push(options.signal);
          return log.subscribe(options);
        },
      },
      now: () => 0,
      everyMs: 1,
      groups: [{ name: 'a', eventTypes: ['AddonActivated'], checkpoint: () => Promise.resolve(null) }],
    });
    await expect.poll(() => signals.length).toBeGreaterThan(times);
    await sampler.stop();
    expect(signals.map(keptBy).filter((kept) => kept > 0)).toEqual([]);
  });
});

test('a look at the lag of a service at rest opens no subscription', async () => {
  const log = memoryStore();
  let subscriptions = 0;
  let looks = 0;
  const sampler = sampleLag({
    log: {
      head: () => log.head(),
      subscribe: (options) => {
        subscriptions += 1;
        return log.subscribe(options);
      },
    },
    now: () => (looks += 1),
    everyMs: 1,
    groups: [{ name: 'a', eventTypes: ['AddonActivated'], checkpoint: () => Promise.resolve(null) }],
  });
  await expect.poll(() => looks).toBeGreaterThan(times);
  await sampler.stop();
  expect([subscriptions, sampler.samples()[0]?.samples.at(-1)?.behind]).toEqual([1, 0]);
});

describe('a linked signal', () => {
  test('is aborted with each of the others, with its reason, and at once when one is aborted already', () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const linked = linkAbort(first.signal, second.signal);
    second.abort('enough');
    expect([linked.signal.aborted, linked.signal.reason]).toEqual([true, 'enough']);
    expect(linkAbort(first.signal, second.signal).signal.reason).toBe('enough');
  });

  test('is aborted no more once it was let go', () => {
    const other = new AbortController();
    const linked = linkAbort(other.signal);
    linked.unlink();
    other.abort();
    expect(linked.signal.aborted).toBe(false);
  });

  test('under any of several, what is delivered ends with the first that is aborted', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const seen: number[] = [];
    const count = async function* (signal: AbortSignal) {
      for (let n = 0; !signal.aborted; n += 1) yield await Promise.resolve(n);
    };
    for await (const n of underAny([first.signal, second.signal], count)) {
      seen.push(n);
      if (n === 2) second.abort();
    }
    expect(seen).toEqual([0, 1, 2]);
    expect([keptBy(first.signal), keptBy(second.signal)]).toEqual([0, 0]);
  });
});
