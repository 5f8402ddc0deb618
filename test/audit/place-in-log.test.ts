import { Readable } from 'node:stream';
import { isConsistent, addLeaf, emptySpan, rootOf } from '#verify';
import { describe, expect, test } from 'vitest';
import { placeInLog } from '../../src/audit/export/place-in-log.ts';
import { LogChanged } from '../../src/audit/log-heads/sign-head.ts';
import { leafOf } from '../../src/audit/proofs/stored-leaf.ts';
import { eventAt, exportedBy, newKey, verify } from './exports.ts';
import { treeOver } from './log-tiles/memory-tiles.ts';

const key = await newKey();
const all = Array.from({ length: 23 }, (_, at) => eventAt(at + 1));
const rootAt = (size: number) =>
  rootOf(all.slice(0, size).reduce((tree, event) => addLeaf(tree, leafOf(event)), emptySpan())).toString(
    'hex',
  );

const exported = async (concerns: (at: number) => boolean, size: number, log = all, root = rootAt(size)) => {
  const chosen = Readable.from(log.filter((_, at) => concerns(at)));
  return exportedBy(key, [], placeInLog(chosen, await treeOver(log), log.length, { size, root }));
};

describe('an export that proves its place in the log', () => {
  test.each([
    ['no event', () => false],
    ['every event', () => true],
    ['the first', (at: number) => at === 0],
    ['the last', (at: number) => at === 22],
    ['every third', (at: number) => at % 3 === 1],
    ['a run', (at: number) => at >= 5 && at < 9],
  ])('leads with %s to the root of the log, from any head', async (_, concerns) => {
    for (const size of [1, 7, 8, 22, 23]) {
      const lines = await exported(concerns, size);
      const verdict = await verify(lines, key.jwks);
      expect(verdict).toMatchObject({
        ok: true,
        manifest: { log: { size: 23, root: rootAt(23), head: { size } } },
      });
      const log = verdict.ok ? verdict.manifest.log : undefined;
      const proof = log?.head.proof.map((hash) => Buffer.from(hash, 'hex')) ?? [];
      const tree = (of: number) => ({ size: of, root: Buffer.from(rootAt(of), 'hex') });
      expect(isConsistent(tree(size), tree(23), proof)).toBe(true);
    }
  });

  test('holds few hashes, however much it leaves out', async () => {
    const gaps = (await exported((at) => at === 11, 8)).join('').match(/"gap":\[[^\]]*\]/g) ?? [];
    expect(gaps.join('').match(/[0-9a-f]{64}/g)?.length).toBeLessThanOrEqual(3); // 8 + 2 + 1, before the one
  });

  test('is refused when a holder of the key put an event in that the log does not have', async () => {
    const honest = await exported((at) => at === 11, 8);
    const forged = all.with(11, eventAt(12, { name: 'forged' }));
    const claimed = JSON.parse(
      Buffer.from(String(honest[1]).split('.')[1] ?? '', 'base64url').toString(),
    ) as {
      log: unknown;
    };
    const chosen = Readable.from(forged.slice(11, 12));
    const placing = placeInLog(chosen, await treeOver(forged), 23, { size: 8, root: rootAt(8) });
    const lines = await exportedBy(key, [], {
      events: placing.events,
      log: () => claimed.log as ReturnType<typeof placing.log>, // of the true log, whose root is in the heads
    });
    expect(await verify(lines, key.jwks)).toEqual({
      ok: false,
      line: 2,
      problem: 'holds a manifest of a log that the lines are not in',
    });
  });

  test('is refused when its manifest names another root than its lines lead to', async () => {
    const placing = placeInLog(Readable.from(all), await treeOver(all), 23, { size: 23, root: rootAt(23) });
    const claims = () => {
      const log = placing.log();
      return log && { ...log, root: rootAt(22) };
    };
    const lines = await exportedBy(key, [], { events: placing.events, log: claims });
    expect(await verify(lines, key.jwks)).toMatchObject({ ok: false, line: 24 });
  });

  test('is not made of a log that has not grown from the head', async () => {
    await expect(exported(() => true, 8, all, '0'.repeat(64))).rejects.toThrow(LogChanged);
    await expect(exported(() => true, 8, all.slice(0, 7), rootAt(8))).rejects.toThrow(LogChanged);
    await expect(exported(() => true, 8, all.with(3, eventAt(4, 'forged')), rootAt(8))).rejects.toThrow(
      LogChanged,
    );
  });
});
