import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isConsistent, BadJws, verifyHead } from '#verify';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Interrupted } from '../../../src/audit/interrupted.ts';
import { checkLog } from '../../../src/audit/log-heads/check-log.ts';
import type { LogHead } from '../../../src/audit/log-heads/read-heads.ts';
import {
  growTree,
  LogChanged,
  signHead,
  type SignHeadDependencies,
} from '../../../src/audit/log-heads/sign-head.ts';
import { openLogTree } from '../../../src/audit/log-tiles/log-tree.ts';
import type { Tile } from '../../../src/audit/log-tiles/tile.ts';
import { logHeadStream } from '../../../src/domain/streams.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { makePipelinedReader } from '../../../src/projections/database/pipelined-reader.ts';
import { takeLease, LeaseLost } from '../../../src/projections/follow/checkpoint.ts';
import { makeTileTable, writeTiles } from '../../../src/projections/log-guard/log-tiles-table.ts';
import { makeLogHeads, startLogHeads } from '../../../src/reactions/log-heads.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { migratedDatabase, type TestDatabase } from '../../support/servers/databases.ts';
import { newKey, signerOf } from '../exports.ts';
import { endSessions, memoryTiles } from '../log-tiles/memory-tiles.ts';

type Store = ReturnType<typeof memoryStore>;

const key = await newKey();
const untilTheEnd = new AbortController().signal;

/** A signer of its own, with what it has kept. */
const signer = (store: SignHeadDependencies['store'], earlier: readonly Tile[] = []) => {
  const kept = memoryTiles(earlier);
  const sign = () =>
    signHead(
      { store, sign: signerOf(key), now: () => 1_795_168_800_123, tiles: kept.source, save: kept.save },
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
  expect(await checkLog({ log: store, heads, signal: untilTheEnd })).toMatchObject({
    agreed: heads.length,
    difference: null,
  });
};

describe('a head of the log', () => {
  test('is over every event before it, heads too, and proves that it goes on from the last one', async () => {
    const store = memoryStore();
    const { sign } = signer(store);
    for (const events of [1, 0, 2, 5, 13, 1]) {
      await endSessions(store, events);
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

  test('HI-02: costs what has come since the last one, and the same one comes of nothing kept, or of a part', async () => {
    const store = memoryStore();
    const first = signer(store);
    await endSessions(store, 9);
    await first.sign();
    const after: unknown[] = [];
    const watched: SignHeadDependencies['store'] = {
      ...store,
      readLog: (options) => {
        after.push(options.after?.commit ?? null);
        return store.readLog(options);
      },
    };
    await endSessions(store, 3);
    await signer(watched, first.kept.all()).sign();
    expect(after).toEqual([9n]);

    for (const tiles of [[], first.kept.all()]) {
      await endSessions(store, 2);
      await signer(store, tiles).sign();
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
    await endSessions(store, 6);
    await sign();
    await endSessions(store, 3);
    const before = kept.all();
    isKilled = true;
    await expect(sign()).rejects.toThrow('killed');
    expect(kept.all().length).toBe(before.length); // of what was signed over, not of the head
    isKilled = false;
    await endSessions(store, 2);
    expect(await sign()).toMatchObject({ previousSize: 10, size: 13 });
    await expectAgreement(store);
  });

  test('is one of as many as were signed, when several sign at once', async () => {
    const store = memoryStore();
    await endSessions(store, 5);
    await Promise.all([1, 2, 3].map(() => signer(store).sign()));
    expect(await signed(store)).toHaveLength(3);
    await expectAgreement(store);
  });

  test('is found where the tree was read past the place that another one signed', async () => {
    const store = memoryStore();
    await endSessions(store, 4);
    await signer(store).sign();
    await endSessions(store, 4);
    const ahead = signer(store);
    await growTree({ store, tiles: ahead.kept.source, save: ahead.kept.save }, untilTheEnd);
    expect(await ahead.sign()).toMatchObject({ previousSize: 4, size: 9 });
    await expectAgreement(store);
  });

  test('is not signed over a log that its last head contradicts, nor over a part of one', async () => {
    const store = memoryStore();
    await endSessions(store, 6);
    await signer(store).sign();
    const [head] = store.all().slice(-1) as [RecordedEvent];
    const cut = memoryStore({}, [...store.all().slice(0, 3), head]);
    await expect(signer(cut).sign()).rejects.toThrow(LogChanged);
    const rewritten = memoryStore(
      {},
      store.all().with(2, { ...head, ...store.all()[2], created: 1 } as RecordedEvent),
    );
    await expect(signer(rewritten).sign()).rejects.toThrow(LogChanged);
    const other = memoryStore();
    await endSessions(other, 8);
    const foreign = signer(other);
    await foreign.sign();
    await expect(signer(store, foreign.kept.all()).sign()).rejects.toThrow('or its tiles, are not those');
    const aborted = signHead(
      { store, sign: signerOf(key), now: () => 1, tiles: memoryTiles().source },
      AbortSignal.abort(),
    );
    await expect(aborted).rejects.toThrow(Interrupted);
  });

  test('says nothing else than was signed, and by whom', async () => {
    const store = memoryStore();
    await endSessions(store, 3);
    const head = await signer(store).sign();
    await expect(verifyHead({ jws: head?.jws }, key.jwks)).resolves.toMatchObject({ trusted: true });
    await expect(verifyHead(head, (await newKey()).jwks)).rejects.toThrow('not among the keys');
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
      await endSessions(store, size - store.all().length);
      const head = await signer(store).sign();
      heads.push({ name: `over ${size}`, size, root: head?.root ?? '', position: head?.position ?? '' });
    }
    await endSessions(store, 4);
    return { events: store.all(), heads };
  };

  test('finds an event that was changed, dropped, repeated, put in or moved at any place, and says before which size', async () => {
    const { events, heads } = await kept([3, 7, 12]);
    const renumbered = (log: readonly RecordedEvent[]) =>
      log.map((event, at) => ({ ...event, position: { commit: BigInt(at + 1), prepare: BigInt(at + 1) } }));
    const check = (log: readonly RecordedEvent[]) =>
      checkLog({ log: memoryStore({}, log), heads, signal: untilTheEnd });
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
        expect([
          at,
          difference && 'head' in difference ? difference.head.size : undefined,
          difference?.kind,
        ]).toEqual([at, next, next && 'rewritten']);
        expect(difference?.agreesTo).toBe(next && [0, 3, 7, 12].findLast((size) => size <= differsAt));
      }
    }
  });
  test('finds a log that was cut at any place', async () => {
    const { events, heads } = await kept([3, 7, 12]);
    for (let at = 0; at < 12; at++) {
      const { difference, size } = await checkLog({
        log: memoryStore({}, events.slice(0, at)),
        heads,
        signal: untilTheEnd,
      });
      const [agreesTo, next] = at < 3 ? [0, 3] : at < 7 ? [3, 7] : [7, 12];
      expect([size, difference]).toMatchObject([at, { kind: 'cut', agreesTo, head: { size: next } }]);
    }
  });

  test('is said to be one that the log agrees with only when the log was read to its end', async () => {
    const { events, heads } = await kept([3]);
    await expect(
      checkLog({ log: memoryStore({}, events), heads, signal: AbortSignal.abort() }),
    ).rejects.toThrow(Interrupted);
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

  const tileTable = () =>
    makeTileTable(async ({ text }, values) => (await client.query(text, [...values])).rows);

  test('HI-02: signs when the last one is old enough, keeps tiles, and whoever leads next goes on from there', async () => {
    const store = memoryStore();
    await endSessions(store, 5);
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
      await endSessions(store, (sizes.at(-1) ?? 0) - store.all().length);
      const leader = start();
      await leader.caughtUp;
      await leader.stop();
      expect((await signed(store)).map(({ size }) => size)).toEqual(sizes);
      const newest = await tileTable().newest();
      expect(newest?.hashes.length).toBe(32 * (sizes.at(-1) ?? 0));
    }
    await expectAgreement(store);

    const reader = makePipelinedReader({ databaseUrl: database.url, logger: quietLogger() });
    const heads = makeLogHeads({ reader, store, sign: signerOf(key), now: () => now });
    expect(await heads.newest()).toMatchObject({ size: 10, revision: 2n });
    expect(await heads.sign(untilTheEnd)).toMatchObject({ previousSize: 10, size: 11 });
    await reader.close();
    // One on demand counts: the leader is not due.
    const calm = start();
    await calm.caughtUp;
    await calm.stop();
    expect(await signed(store)).toHaveLength(4);
    await expectAgreement(store);
  });

  test('HI-02: tiles cost less than 40 bytes an event, indexes included', async () => {
    const tree = await openLogTree(memoryTiles().source);
    const leaves = 30_000;
    for (let at = 1; at <= leaves; at++)
      tree.add(randomBytes(32), { commit: BigInt(at) * 700n, prepare: BigInt(at) * 700n });
    const { lease, position } = await takeLease(client, 'log-heads');
    await client.query('truncate log_tiles');
    await writeTiles(client, lease, position, { commit: 1n, prepare: 1n }, tree.takeChanged());
    const { rows } = await client.query<{ bytes: string }>(
      `select pg_total_relation_size('log_tiles') as bytes`,
    );
    expect(Number(rows[0]?.bytes) / leaves).toBeLessThan(40);
  });

  test('keeps nothing once another one leads', async () => {
    const before = await tileTable().newest();
    const { lease, position } = await takeLease(client, 'log-heads');
    await takeLease(client, 'log-heads');
    const changed = { level: 0, index: 4711, hashes: Buffer.alloc(32), last: { commit: 1n, prepare: 1n } };
    await expect(writeTiles(client, lease, position, changed.last, [changed])).rejects.toThrow(LeaseLost);
    expect(await tileTable().newest()).toEqual(before);
  });
});
