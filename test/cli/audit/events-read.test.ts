import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { showEventsRead } from '../../../src/cli/base/progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('FX-34: every few seconds a line says how many events were read, until the end', () => {
  const stderr = new PassThrough({ encoding: 'utf8' });
  const progress = showEventsRead(stderr);
  vi.advanceTimersByTime(5_000);
  for (let time = 0; time < 1200; time += 1) progress.passed({ created: Date.UTC(2026, 0, 2) });
  vi.advanceTimersByTime(5_000);
  progress.end();
  vi.advanceTimersByTime(60_000);
  expect(stderr.read()).toBe('0 events read\n1,200 events read, up to 2026-01-02T00:00:00.000Z\n');
});
