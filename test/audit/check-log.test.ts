import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkLog, type CheckedTo, type CheckDependencies } from '../../src/audit/log-heads/check-log.ts';
import { openLogTree } from '../../src/audit/log-tiles/log-tree.ts';
import type { Tile } from '../../src/audit/log-tiles/tile.ts';
import { Interrupted } from '../../src/audit/interrupted.ts';
import { leafOf } from '../../src/audit/proofs/stored-leaf.ts';
import { counted } from '../../src/cli/base/progress.ts';
import type { RecordedEvent } from '../../src/eventstore/event-store.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { endSessions, memoryTiles } from './log-tiles/memory-tiles.ts';

const signal = new AbortController().signal;

/** 700 events, heads over 300 and 600 of them, and tiles over 650. */
const story = async () => {
  const store = memoryStore();
  await endSessions(store, 700);
  const kept = memoryTiles();
  const tree = await openLogTree(kept.source);
  for await (const event of store.readLog({ after: null, signal }))
    if (tree.size() < 650) tree.add(leafOf(event), event.position);
  await kept.save(tree.takeChanged());
  const heads = await Promise.all(
    [300, 600].map(async (size) => ({ name: `over ${size}`, size, root: await tree.rootAt(size) })),
  );
  return { events: store.all(), heads, tiles: kept.all() };
};
const told = story();

type Changes = Partial<CheckDependencies> & {
  readonly events?: readonly RecordedEvent[];
  readonly saved?: readonly Tile[];
};
const check = async ({ events, saved, ...needs }: Changes = {}) => {
  const { heads, ...whole } = await told;
  const tiles = await openLogTree(memoryTiles(saved ?? whole.tiles).source);
  return checkLog({ log: memoryStore({}, events ?? whole.events), heads, tiles, signal, ...needs });
};
const flipped = async (level: number, index: number, hash: number): Promise<readonly Tile[]> =>
  (await told).tiles.map((tile) => {
    if (tile.level !== level || tile.index !== index) return tile;
    const hashes = Buffer.from(tile.hashes);
    hashes[hash * 32] = (hashes[hash * 32] ?? 0) ^ 1;
    return { ...tile, hashes };
  });

describe('HI-02: the log compared with its tiles', () => {
  test('HI-02: agrees, and from where it was checked only what came after is read', async () => {
    const whole = await check();
    expect(whole).toMatchObject({ size: 700, agreed: 2, difference: null, removed: {} });
    const { events } = await told;
    let from: CheckedTo | undefined;
    await check({ passed: (to) => void (to().size === 450 && (from = to())) });
    expect(from).toMatchObject({ size: 450, position: events[449]?.position });
    const rest = { ...memoryStore({}, events.slice(450)) };
    expect(await check({ log: rest, from: from as CheckedTo })).toEqual(whole);
  });

  test('HI-02: a leaf that was changed in its tile is noticed and the tile named, the log being what the heads say', async () => {
    for (const leaf of [0, 100, 255, 256, 299, 599]) {
      const saved = await flipped(0, Math.floor(leaf / 256), leaf % 256);
      expect((await check({ saved })).difference).toMatchObject({
        kind: 'tile',
        trouble: { tile: `0/${Math.floor(leaf / 256)}`, leaf },
      });
    }
    expect((await check({ saved: await flipped(1, 0, 1) })).difference).toMatchObject({
      kind: 'tile',
      agreesTo: 600,
      trouble: { kind: 'parent', tile: '1/0' },
    });
  });

  test('HI-02: an event that was changed or put in contradicts the next head, and is named', async () => {
    const { events } = await told;
    for (const at of [0, 299, 300, 555]) {
      const event = events[at] as RecordedEvent;
      const changed = events.with(at, { ...event, created: 1 });
      expect((await check({ events: changed })).difference).toMatchObject({
        kind: 'rewritten',
        head: { size: at < 300 ? 300 : 600 },
        agreesTo: at < 300 ? 0 : 300,
        trouble: { kind: 'changed', leaf: at },
      });
    }
    const behind = events.with(640, { ...(events[640] as RecordedEvent), created: 1 });
    expect((await check({ events: behind })).difference).toMatchObject({
      kind: 'tile',
      agreesTo: 600,
      trouble: { kind: 'changed', leaf: 640, tile: '0/2' },
    });
  });

  test('GR-04: what documented retention removed is counted by category, and any other missing event is a difference', async () => {
    const { events } = await told;
    const leaf = fc.integer({ min: 0, max: 649 });
    const removedAs = (removed: readonly number[]) => (at: number) =>
      removed.includes(at) ? (at % 2 === 0 ? 'session' : 'abandoned code') : null;
    const run = fc.tuple(leaf, fc.integer({ min: 1, max: 300 }));
    await fc.assert(
      fc.asyncProperty(fc.array(leaf), fc.option(run), fc.option(leaf), async (some, many, other) => {
        const range = many ? Array.from({ length: many[1] }, (_, at) => many[0] + at) : [];
        const removed = [...new Set([...some, ...range])].filter((at) => at < 650);
        const isGone = (at: number) => removed.includes(at) || at === other;
        const found = await check({
          events: events.filter((_, at) => !isGone(at)),
          removedAs: removedAs(removed),
        });
        const odd = removed.filter((at) => at % 2 === 1).length;
        const counted = { session: removed.length - odd, 'abandoned code': odd };
        const isMissing = other !== null && !removed.includes(other);
        expect({ ...found, removed: { session: 0, 'abandoned code': 0, ...found.removed } }).toMatchObject(
          isMissing
            ? { difference: { trouble: { kind: 'missing', leaf: other } } }
            : { size: 700, agreed: 2, difference: null, removed: counted },
        );
      }),
      { numRuns: 25 },
    );
  });

  test('FX-103: the tree grows with the check beyond the kept tiles, so that the next one begins where this one ended', async () => {
    const whole = await told;
    const kept = memoryTiles(whole.tiles);
    const tiles = await openLogTree(kept.source);
    const log = memoryStore({}, whole.events);
    const { heads } = whole;
    const first = await checkLog({ log, heads, tiles, signal });
    await kept.save(tiles.takeChanged());
    const again = await openLogTree(kept.source);
    expect([again.size(), await again.rootAt(700)]).toEqual([700, first.root]);
    const nothing = memoryStore({}, []);
    const early = [...heads, { name: 'over 680', size: 680, root: await again.rootAt(680) }];
    expect(await checkLog({ log: nothing, heads: early, tiles: again, from: first, signal })).toMatchObject({
      size: 700,
      agreed: 3,
      difference: null,
    });
  });

  test('FX-103: nothing is added to the tree from the first difference on', async () => {
    const whole = await told;
    const tiles = await openLogTree(memoryTiles(whole.tiles).source);
    const wrong = [...whole.heads, { name: 'over 670', size: 670, root: '00' }];
    await checkLog({ log: memoryStore({}, whole.events), heads: wrong, tiles, signal });
    expect(tiles.size()).toBe(669);
  });

  test('HI-02: what was interrupted says so, and how far a check is has a rate and the time left', async () => {
    await expect(check({ signal: AbortSignal.abort() })).rejects.toThrow(Interrupted);
    const checked = (done: number, total: number, perSecond: number, secondsLeft: number | null) =>
      counted('events checked', done, total, { perSecond, secondsLeft }).text;
    expect(checked(21_000, 61_000, 2000, 20)).toBe('21,000 of 61,000 events checked, 2,000/s, 20 s to go');
    expect(checked(500, 500, 500, null)).toBe('500 of 500 events checked, 500/s');
  });
});
