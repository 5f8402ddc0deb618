import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { barText as bar, makeMeter } from '../../../src/cli/base/progress.ts';
import { importText, type Shown, showImport } from '../../../src/cli/import/progress.ts';

const counts = {
  lines: 620_000,
  added: 600_000,
  changed: 15_000,
  removed: 1,
  unchanged: 4_000,
  outdated: 0,
  refused: 999,
};
const nothing = { added: 0, changed: 0, removed: 0, unchanged: 0, refused: 0 };
const progressText = (now: Shown) => importText(now).text;
const barText = (now: Shown, width: number) => bar(importText(now), width);
const shown = (more: Partial<Shown> = {}): Shown => ({
  bytes: 620,
  totalBytes: 1000,
  counts,
  pace: { perSecond: 5432.1, secondsLeft: 76 },
  ...more,
});

const terminal = (isTTY: boolean) => {
  const written: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk.toString());
      done();
    },
  });
  return { written, stderr: Object.assign(stream, { isTTY, columns: 100 }) };
};
const drawn = (written: readonly string[]) => written.filter((text) => text.includes('lines'));

describe('LI-08: the progress of an import', () => {
  test('says how much, how fast, how long, and what came of it', () => {
    expect(progressText(shown())).toBe(
      '620,000 lines, 5,432/s, 1 min 16 s to go, 600,000 added, 15,000 changed, 1 removed, 4,000 unchanged, 999 refused',
    );
    expect(barText(shown(), 60)).toBe(' 62% [=====---] 5,432 lines/s, 1 min 16 s to go, 600,000 add');
    expect(barText(shown(), 200)).toBe(
      ' 62% [===================-----------] 5,432 lines/s, 1 min 16 s to go, 600,000 added, 15,000 changed, 1 removed, 4,000 unchanged, 999 refused',
    );
  });

  test('leaves out what there is none of, so that on 80 columns what was refused is to be seen, too', () => {
    const again = { ...counts, added: 0, changed: 0, removed: 0, unchanged: 619_001 };
    const text = barText(shown({ counts: again }), 79);
    expect(text).not.toContain(' 0 ');
    expect(text).toBe(' 62% [=====---] 5,432 lines/s, 1 min 16 s to go, 619,001 unchanged, 999 refused');
    expect(progressText(shown({ counts: { ...counts, ...nothing } }))).toMatch(/ to go$/);
  });

  test('without a known end has neither percent nor time left', () => {
    const endless = shown({ totalBytes: null, pace: makeMeter()(1, null) });
    const text = barText(endless, 500);
    expect(text).toBe(progressText(endless));
    expect(text).not.toMatch(/%|to go/);
  });

  test.each([1, 10, 40, 79, 200])('fits into %i columns', (width) => {
    expect(barText(shown(), width).length).toBeLessThanOrEqual(width);
  });

  describe('by the clock', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    test('tells the speed of the last ten seconds, not of the whole', () => {
      const meter = makeMeter();
      for (let second = 1; second <= 60; second += 1) {
        vi.advanceTimersByTime(1000);
        meter(second * 100);
      }
      for (let second = 61; second <= 90; second += 1) {
        vi.advanceTimersByTime(1000);
        meter(6000 + (second - 60) * 7);
      }
      vi.advanceTimersByTime(1000);
      expect(meter(6000 + 31 * 7, 6000 + 32 * 7)).toEqual({ perSecond: 7, secondsLeft: 1 });
    });

    test('is drawn ten times a second at the most, however many lines come', () => {
      const { written, stderr } = terminal(true);
      const progress = showImport(stderr, 10_000);
      for (let line = 1; line <= 10_000; line += 1) {
        progress.update({ lines: line, bytes: line, counts: { ...counts, lines: line } });
        if (line % 5 === 0) vi.advanceTimersByTime(1);
      }
      expect(drawn(written).length).toBeGreaterThan(10);
      expect(drawn(written).length).toBeLessThanOrEqual(21);
      expect(Math.max(...drawn(written).map((text) => text.length))).toBeLessThan(100);
      progress.end();
      vi.advanceTimersByTime(1000);
      const after = written.length;
      progress.update({ lines: 1, bytes: 1, counts });
      vi.advanceTimersByTime(10_000);
      expect(written).toHaveLength(after);
    });

    test('elsewhere is a line after a second and every five', () => {
      const { written, stderr } = terminal(false);
      const progress = showImport(stderr, 1000);
      progress.update({ lines: 3, bytes: 620, counts });
      vi.advanceTimersByTime(1000);
      expect(written).toEqual([
        expect.stringMatching(/^62%, 620,000 lines, 620,000\/s, 1 s to go, .*999 refused\n$/),
      ]);
      vi.advanceTimersByTime(11_000);
      expect(written).toHaveLength(3);
      progress.end();
      vi.advanceTimersByTime(60_000);
      expect(written).toHaveLength(3);
    });

    test.each([true, false])(
      'FX-77: claims no share, and not that everything is stored, before the lists are asked (terminal: %s)',
      (isTTY) => {
        const { written, stderr } = terminal(isTTY);
        const progress = showImport(stderr, 1000);
        progress.waits(null);
        vi.advanceTimersByTime(1000);
        expect(written.join('')).toContain('waiting for the lists to show what is stored');
        expect(written.join('')).not.toMatch(/%|everything/);
        progress.end();
      },
    );

    test.each([true, false])('says that only the lists are waited for (terminal: %s)', (isTTY) => {
      const { written, stderr } = terminal(isTTY);
      const progress = showImport(stderr, 1000);
      progress.update({ lines: 3, bytes: 1000, counts });
      vi.advanceTimersByTime(1000);
      expect(written.join('')).not.toContain('waiting for the lists');
      progress.waits(0.4);
      vi.advanceTimersByTime(5000);
      expect(written.join('')).toMatch(/\b40%.* waiting for the lists to show what is stored/);
      progress.end();
    });
  });
});
