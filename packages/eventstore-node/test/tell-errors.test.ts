import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeTellErrors } from '../src/tell-errors.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('FX-46: the same error is written at most every five seconds, with its cause', () => {
  const lines: string[] = [];
  const tell = makeTellErrors((line) => lines.push(line));
  const full = () => new Error('no answer', { cause: new Error('No space left on device') });
  for (let tenth = 0; tenth < 100; tenth += 1) {
    tell(full());
    vi.advanceTimersByTime(100);
  }
  tell(new Error('another'));
  const line = 'embedded node: Error: no answer (No space left on device)\n';
  expect(lines).toEqual([line, line, 'embedded node: Error: another\n']);
});
