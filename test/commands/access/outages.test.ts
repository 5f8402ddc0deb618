import { describe, expect, test } from 'vitest';
import { makeOutageWatch } from '../../../src/commands/log/watch-outages.ts';
import type { Outage } from '../../../src/domain/access/outage.ts';
import { type EventStore, EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import { grantStream } from '../../../src/domain/streams.ts';
import { issuanceOver } from '../../support/memory/issuance.ts';
import { refusalOf, valueOf } from '../../support/outcomes.ts';
import { memoryFence } from '../../support/memory/memory-fence.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { seconds } from '../../support/scenes/grants.ts';

const logger = { info: () => undefined };

const memoryTable = () => {
  const rows = new Map<string, Outage>();
  return {
    rows,
    keep: (id: string, outage: Outage) => Promise.resolve(void rows.set(id, outage)),
    endedAfter: (moment: number) => Promise.resolve([...rows.values()].filter(({ ended }) => ended > moment)),
  };
};

/** A watch over a store and a fence that a test takes away. */
const setUp = (table = memoryTable()) => {
  let time = 0;
  let away = { store: false, database: false };
  const watch = makeOutageWatch({ now: () => time, elapsed: () => time, table, logger });
  const store = watch.watchStore<EventStore>({
    ...memoryStore(),
    readEnd: () => (away.store ? Promise.reject(new EventStoreUnavailable('away')) : Promise.resolve([])),
  });
  const fence = watch.watchFence({
    read: () => (away.database ? Promise.reject(new Error('away')) : Promise.resolve([])),
    write: () => Promise.resolve(),
  });
  const call = {
    store: () => store.readEnd(grantStream('G'), 'last', 1).catch(() => undefined),
    database: () => fence.read([]).catch(() => undefined),
  };
  return {
    watch,
    table,
    call,
    at: (moment: number) => void (time = moment),
    take: (part: 'store' | 'database', isAway: boolean) => void (away = { ...away, [part]: isAway }),
  };
};

describe('OP-10: an instance notices by its own calls when it cannot work', () => {
  test.each(['store', 'database'] as const)(
    'from the last answer of the %s to the next one, and while it lasts',
    async (part) => {
      const { watch, call, at, take } = setUp();
      at(1_000);
      await call[part]();
      take(part, true);
      at(5_000);
      await call[part]();
      at(8_000);
      expect(await watch.within(0, 10_000)).toBe(7_000);
      take(part, false);
      at(9_000);
      await call[part]();
      at(60_000);
      expect(await watch.within(0, 60_000)).toBe(8_000);
      expect(await watch.within(3_000, 4_000)).toBe(1_000);
    },
  );

  test('it is over when both are reached', async () => {
    const { watch, call, at, take } = setUp();
    take('store', true);
    take('database', true);
    await call.store();
    await call.database();
    take('database', false);
    at(2_000);
    await call.database();
    take('store', false);
    at(5_000);
    await call.store();
    at(9_000);
    expect(await watch.within(0, 9_000)).toBe(5_000);
  });

  test.each([
    [2_000, 0],
    [2_001, 2_001],
  ])('a call that is answered after %d ms counts as an outage of %d ms', async (after, counted) => {
    let time = 10_000;
    const watch = makeOutageWatch({ now: () => time, elapsed: () => time, table: memoryTable(), logger });
    const fence = watch.watchFence({
      read: () => Promise.resolve(void (time += after)).then(() => []),
      write: () => Promise.resolve(),
    });
    await fence.read([]);
    expect(await watch.within(0, 20_000)).toBe(counted);
  });

  test('FX-33: overlapping slow calls are one outage, and one row', async () => {
    let time = 0;
    const table = memoryTable();
    const watch = makeOutageWatch({ now: () => time, elapsed: () => time, table, logger });
    const waiting: (() => void)[] = [];
    const store = watch.watchStore<EventStore>({
      ...memoryStore(),
      readEnd: () => new Promise((resolve) => waiting.push(() => resolve([]))),
    });
    const calls: Promise<unknown>[] = [];
    for (let n = 0; n < 50; n += 1) {
      time += 100;
      calls.push(store.readEnd(grantStream('G'), 'last', 1));
      if (n < 30) continue;
      waiting.shift()?.();
      await calls[n - 30];
    }
    const rows = async () => {
      const probes = { store: () => Promise.resolve(), database: () => Promise.resolve() };
      const running = watch.start(probes);
      await expect.poll(() => table.rows.size).toBeGreaterThan(0);
      await running.stop();
      return [...table.rows.values()];
    };
    expect(await rows()).toEqual([{ began: 100, ended: 5_000 }]);
    expect(await watch.within(0, 9_000)).toBe(4_900);
    waiting.forEach((answer) => answer());
  });

  test('FX-33: a wall clock that is set during an outage does not change how long it took', async () => {
    let [wall, elapsed, isAway] = [1_000_000, 0, false];
    const watch = makeOutageWatch({ now: () => wall, elapsed: () => elapsed, table: memoryTable(), logger });
    const fence = watch.watchFence({
      read: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve([])),
      write: () => Promise.resolve(),
    });
    const pass = (milliseconds: number, set = 0) => {
      wall += milliseconds + set;
      elapsed += milliseconds;
    };
    const read = () => fence.read([]).catch(() => undefined);
    await read();
    isAway = true;
    pass(1_000);
    await read();
    pass(4_000, 3_600_000);
    isAway = false;
    await read();
    expect(await watch.within(0, 10_000_000)).toBe(5_000);
    pass(1_500, 60_000);
    await read();
    expect(await watch.within(0, 10_000_000), 'no call was slow').toBe(5_000);
  });

  test('without one there is none, however much time passes', async () => {
    const { watch, call, at } = setUp();
    for (const moment of [0, 100_000, 200_000]) {
      at(moment);
      await call.store();
      await call.database();
    }
    expect(await watch.within(0, 300_000)).toBe(0);
  });

  test('another instance, and one that was started since, know it from the table', async () => {
    const { watch, call, at, take, table } = setUp();
    take('store', true);
    await call.store();
    at(4_000);
    const stopped = watch.start({ store: call.store, database: call.database });
    await expect.poll(() => table.rows.size).toBe(1);
    await stopped.stop();
    const other = setUp(table);
    other.at(4_000);
    expect(await other.watch.within(0, 4_000)).toBe(4_000);
  });
});

describe('OP-10: the same token, repeated after an outage in the middle of a refresh', () => {
  const repeated = async (outage: number) => {
    let failing = false;
    const fence = memoryFence();
    const watchFor: { within: (from: number, until: number) => Promise<number> } = {
      within: () => Promise.resolve(0),
    };
    const over = issuanceOver({
      store: memoryStore(),
      fence: {
        ...fence,
        read: (subjects) => (failing ? Promise.reject(new Error('away')) : fence.read(subjects)),
      },
      outages: watchFor,
    });
    await over.prepare();
    valueOf(await over.activate());
    const { refreshToken } = await over.newPair();
    over.pass(seconds(60));
    // The rotation is in the log when the second look at the fence fails: nothing is answered.
    const append = over.store.append.bind(over.store);
    over.store.append = async (...args) => {
      const appended = await append(...args);
      failing = true;
      return appended;
    };
    await expect(over.refresh(refreshToken)).rejects.toThrow('away');
    over.store.append = append;
    failing = false;
    over.pass(seconds(290));
    watchFor.within = (from, until) => Promise.resolve(Math.min(seconds(outage), until - from));
    const again = await over.refresh(refreshToken, {}, over.instance());
    return { ...over, again, refreshToken };
  };

  test('gets the successor, on every instance, and that one works', async () => {
    const { again, refresh, refreshToken, instance } = await repeated(285);
    const successor = valueOf(again);
    expect(valueOf(await refresh(refreshToken, {}, instance())).refreshToken).toBe(successor.refreshToken);
    expect(refusalOf(await refresh(successor.refreshToken, {}, instance()))).toBeUndefined();
    // Now the successor was used: the predecessor is a reuse again, outage or not (RT-05).
    expect(refusalOf(await refresh(refreshToken, {}, instance()))).toBe('token-reused');
  });

  test('without an outage, or after a shorter one, it is a reuse that ends the family', async () => {
    for (const outage of [0, 259]) {
      const { again, refresh, refreshToken } = await repeated(outage);
      expect(refusalOf(again)).toBe('token-reused');
      expect(refusalOf(await refresh(refreshToken))).toBe('grant-revoked');
    }
  });
});
