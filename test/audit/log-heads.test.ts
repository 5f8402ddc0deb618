import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isConsistent } from '../../src/audit/consistency.ts';
import { Interrupted } from '../../src/audit/interrupted.ts';
import { BadJws } from '../../src/audit/jws.ts';
import { checkLog } from '../../src/audit/log-heads/check-log.ts';
import { verifyHead, type LogHead } from '../../src/audit/log-heads/log-head.ts';
import { beginning, grown, toRow } from '../../src/audit/log-heads/log-tree.ts';
import { LogChanged, signHead, type SignHeadNeeds } from '../../src/audit/log-heads/sign-head.ts';
import { makeLogHeads, startLogHeads } from '../../src/compose-log-heads.ts';
import { logHeadStream } from '../../src/domain/streams.ts';
import type { RecordedEvent } from '../../src/eventstore/event-store.ts';
import { takeLease, LeaseLost } from '../../src/projections/checkpoint.ts';
import { readLogTree, writeLogTree, type LogTreeRow } from '../../src/projections/log-tree-table.ts';
import { makeReadLane } from '../../src/projections/read-lane.ts';
import { migratedDatabase, type TestDatabase } from '../support/databases.ts';
import { memoryStore } from '../support/memory-store.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { newKey, signerOf } from './exports.ts';

type Store = ReturnType<typeof memoryStore>;

const key = newKey();
const untilTheEnd = new AbortController().signal;
const write = async (store: Store, events: number) => {
  for (let at = 0; at < events; at++) {
    const stream = `session-${store.all().length}` as const;
    await store.append(stream, 'no-stream', [
      { event: { type: 'SessionEnded', data: { at: store.all().length } } },
    ]);
  }
};

/** A signer of its own, with what it has kept. */
const signer = (store: SignHeadNeeds['store'], row: LogTreeRow | null = null) => {
  const kept = { row };
  const sign = () =>
    signHead(
      {
        store,
        sign: signerOf(key),
        now: () => 1_795_168_800_123,
        load: () => Promise.resolve(kept.row),
        save: (next) => Promise.resolve(void (kept.row = next)),
      },
      untilTheEnd,
    );
  return { kept, sign };
};
const treeOf = ({ size, root }: Pick<LogHead, 'size' | 'root'>) => ({ size, root: Buffer.from(root, 'hex') });
const signed = async (store: Store): Promise<readonly LogHead[]> =>
  (await store.read(logHeadStream)).events.map(({ event }) => event.data as LogHead);

/** Each head is signed, and goes on from the one before it and from nothing else. */
const expectChain = async (store: Store) => {
  let before: LogHead | null = null;
  for (const head of await signed(store)) {
    expect((await verifyHead(head, key.jwks)).trusted).toBe(true);
    expect(head.previousSize).toBe(before?.size ?? 0);
    const proof = head.proof.map((hash) => Buffer.from(hash, 'hex'));
    expect(before === null ? proof.length === 0 : isConsistent(treeOf(before), treeOf(head), proof)).toBe(
      true,
    );
    before = head;
  }
};
/** And the log is what they say. */
const expectAgreement = async (store: Store) => {
  await expectChain(store);
  const heads = (await signed(store)).map((head, at) => ({ name: `${at}`, ...head }));
  expect(await checkLog(store, heads, untilTheEnd)).toMatchObject({ agreed: heads.length, difference: null });
};

describe('a head of the log', () => {
  test('is over every event before it, heads too, and proves that it goes on from the last one', async () => {
    const store = memoryStore();
    const { sign } = signer(store);
    for (const events of [1, 0, 2, 5, 13, 1]) {
      await write(store, events);
      const size = store.all().length;
      expect(await sign()).toMatchObject({ size, position: `${size}/${size}` });
    }
    await expectAgreement(store);
    expect(await signed(store)).toHaveLength(6);
  });

  test('of an empty log is none', async () => {
    const store = memoryStore();
    expect(await signer(store).sign()).toBeNull();
    expect(store.all()).toEqual([]);
  });

  test('costs what has come since the last one, and the same one comes of nothing kept, or of something else', async () => {
    const store = memoryStore();
    const first = signer(store);
    await write(store, 9);
    await first.sign();
    const after: unknown[] = [];
    const watched: SignHeadNeeds['store'] = {
      ...store,
      readLog: (options) => {
        after.push(options.after?.commit ?? null);
        return store.readLog(options);
      },
    };
    await write(store, 3);
    await signer(watched, first.kept.row).sign();
    expect(after).toEqual([9n]);

    const other = memoryStore();
    await write(other, 4);
    const foreign = signer(other);
    await foreign.sign();
    const cutShort = first.kept.row && { ...first.kept.row, before: Buffer.alloc(31) };
    for (const row of [null, foreign.kept.row, cutShort, first.kept.row]) {
      await write(store, 2);
      await signer(store, row).sign();
    }
    await expectAgreement(store);
  });

  test('is found again whose signer was killed between writing it and keeping the tree', async () => {
    let isKilled = false;
    const store: Store = memoryStore({
      afterAppend: (stream) => {
        if (stream === logHeadStream && isKilled) throw new Error('killed');
      },
    });
    const { kept, sign } = signer(store);
    await write(store, 6);
    await sign();
    await write(store, 3);
    const before = kept.row;
    isKilled = true;
    await expect(sign()).rejects.toThrow('killed');
    expect(kept.row).toBe(before);
    isKilled = false;
    await write(store, 2);
    expect(await sign()).toMatchObject({ previousSize: 10, size: 13 });
    await expectAgreement(store);
  });

  test('is one of as many as were signed, when several sign at once', async () => {
    const store = memoryStore();
    await write(store, 5);
    await Promise.all([1, 2, 3].map(() => signer(store).sign()));
    expect(await signed(store)).toHaveLength(3);
    await expectAgreement(store);
  });

  test('is found where the tree was read past the place that another one signed', async () => {
    const store = memoryStore();
    await write(store, 4);
    await signer(store).sign();
    await write(store, 4);
    let tree = beginning;
    for await (const event of store.readLog({ after: null, signal: untilTheEnd })) tree = grown(tree, event);
    expect(await signer(store, toRow(tree)).sign()).toMatchObject({ previousSize: 4, size: 9 });
    await expectAgreement(store);
  });

  test('is not signed over a log that its last head contradicts, nor over a part of one', async () => {
    const store = memoryStore();
    await write(store, 6);
    await signer(store).sign();
    const [head] = store.all().slice(-1) as [RecordedEvent];
    const cut = memoryStore({}, [...store.all().slice(0, 3), head]);
    await expect(signer(cut).sign()).rejects.toThrow(LogChanged);
    const rewritten = memoryStore(
      {},
      store.all().with(2, { ...head, ...store.all()[2], created: 1 } as RecordedEvent),
    );
    await expect(signer(rewritten).sign()).rejects.toThrow(LogChanged);
    const aborted = signHead(
      { store, sign: signerOf(key), now: () => 1, load: () => Promise.resolve(null) },
      AbortSignal.abort(),
    );
    await expect(aborted).rejects.toThrow(Interrupted);
  });

  test('says nothing else than was signed, and by whom', async () => {
    const store = memoryStore();
    await write(store, 3);
    const head = await signer(store).sign();
    await expect(verifyHead({ jws: head?.jws }, key.jwks)).resolves.toMatchObject({ trusted: true });
    await expect(verifyHead(head, newKey().jwks)).rejects.toThrow('not among the keys');
    for (const changed of [
      { size: 2 },
      { root: '0'.repeat(64) },
      { proof: ['1'] },
      { position: '4/4' },
      { at: 1 },
      { jws: 'x' },
    ])
      await expect(verifyHead({ ...head, ...changed }, null)).rejects.toThrow(BadJws);
    for (const nothing of [null, 1, [], {}, { jws: 1 }])
      await expect(verifyHead(nothing, null)).rejects.toThrow(BadJws);
  });
});

describe('a head that was kept outside', () => {
  const kept = async (sizes: readonly number[]) => {
    const store = memoryStore();
    const heads = [];
    for (const size of sizes) {
      await write(store, size - store.all().length);
      const head = await signer(store).sign();
      heads.push({ name: `over ${size}`, size, root: head?.root ?? '', position: head?.position ?? '' });
    }
    await write(store, 4);
    return { events: store.all(), heads };
  };

  test('finds an event that was changed, dropped, repeated, put in or moved at any place, and says before which size', async () => {
    const { events, heads } = await kept([3, 7, 12]);
    const renumbered = (log: readonly RecordedEvent[]) =>
      log.map((event, at) => ({ ...event, position: { commit: BigInt(at + 1), prepare: BigInt(at + 1) } }));
    const check = (log: readonly RecordedEvent[]) => checkLog(memoryStore({}, log), heads, untilTheEnd);
    expect((await check(events)).difference).toBeNull();
    for (let at = 0; at < 12; at++) {
      const event = events[at] as RecordedEvent;
      for (const forged of [
        events.with(at, { ...event, created: event.created + 1 }),
        events.with(at, { ...event, metadata: { actor: 'somebody' } }),
        events.with(at, { ...event, revision: event.revision + 1n }),
        events.toSpliced(at, 1),
        events.toSpliced(at, 0, event),
        events.toSpliced(at, 0, { ...event, id: '00000000-0000-4000-8000-000000000000' }),
        events.toSpliced(at, 2, events[at + 1] as RecordedEvent, event),
      ]) {
        const log = renumbered(forged);
        const differsAt = log.findIndex((one, place) => !isDeepStrictEqual(one, events[place]));
        const next = [3, 7, 12].find((size) => size > differsAt); // none: what was written behind the last head, it cannot know
        const { difference } = await check(log);
        expect([at, difference?.head.size, difference?.kind]).toEqual([at, next, next && 'rewritten']);
        expect(difference?.agreesTo).toBe(next && [0, 3, 7, 12].findLast((size) => size <= differsAt));
      }
    }
  });
  test('finds a log that was cut at any place', async () => {
    const { events, heads } = await kept([3, 7, 12]);
    for (let at = 0; at < 12; at++) {
      const { difference, size } = await checkLog(memoryStore({}, events.slice(0, at)), heads, untilTheEnd);
      const [agreesTo, next] = at < 3 ? [0, 3] : at < 7 ? [3, 7] : [7, 12];
      expect([size, difference]).toMatchObject([at, { kind: 'cut', agreesTo, head: { size: next } }]);
    }
  });

  test('is said to be one that the log agrees with only when the log was read to its end', async () => {
    const { events, heads } = await kept([3]);
    await expect(checkLog(memoryStore({}, events), heads, AbortSignal.abort())).rejects.toThrow(Interrupted);
  });
});

describe('the leader that signs heads', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await migratedDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  test('signs when the last one is old enough, keeps the tree, and whoever leads next goes on from there', async () => {
    const store = memoryStore();
    await write(store, 5);
    let now = Date.now();
    const start = () =>
      startLogHeads({
        databaseUrl: database.url,
        store,
        sign: signerOf(key),
        now: () => now,
        logger: quietLogger(),
        intervalMs: 3_600_000,
      });
    const young = start();
    await young.caughtUp;
    await young.stop();
    expect(await signed(store)).toEqual([]); // the first event is not an hour old

    for (const sizes of [[5], [5, 9], [5, 9, 10]]) {
      now += 3_600_001;
      await write(store, (sizes.at(-1) ?? 0) - store.all().length);
      const leader = start();
      await leader.caughtUp;
      await leader.stop();
      expect((await signed(store)).map(({ size }) => size)).toEqual(sizes);
      const row = await readLogTree(client);
      expect(row).toMatchObject({
        headRevision: BigInt(sizes.length - 1),
        headSize: sizes.at(-1),
        size: sizes.at(-1),
      });
    }
    await expectAgreement(store);

    const lane = makeReadLane({ databaseUrl: database.url, logger: quietLogger() });
    const heads = makeLogHeads({ lane, store, sign: signerOf(key), now: () => now });
    expect(await heads.newest()).toMatchObject({ size: 10, revision: 2n });
    expect(await heads.sign(untilTheEnd)).toMatchObject({ previousSize: 10, size: 11 });
    await lane.close();
    // One on demand counts: the leader is not due.
    const calm = start();
    await calm.caughtUp;
    await calm.stop();
    expect(await signed(store)).toHaveLength(4);
    await expectAgreement(store);
  });

  test('keeps nothing once another one leads', async () => {
    const row = await readLogTree(client);
    const { lease, position } = await takeLease(client, 'log-heads');
    await takeLease(client, 'log-heads');
    const changed = { ...(row as LogTreeRow), size: 4711 };
    await expect(writeLogTree(client, lease, position, changed)).rejects.toThrow(LeaseLost);
    expect(await readLogTree(client)).toEqual(row);
  });
});
