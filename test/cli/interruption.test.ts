import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listenForInterruption } from '../../src/cli/process-io.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] }));
afterEach(() => void vi.useRealTimers());

const start = () => {
  const exit = vi.fn<(code: number) => void>();
  const process = Object.assign(new EventEmitter(), { exit });
  const signal = listenForInterruption(process as unknown as Parameters<typeof listenForInterruption>[0]);
  return { exit, process, signal };
};

test.each(['SIGINT', 'SIGTERM'])('%s asks for an end once, however often npm passes it on', (name) => {
  const { exit, process, signal } = start();
  expect(signal.aborted).toBe(false);
  process.emit(name);
  vi.advanceTimersByTime(100);
  process.emit(name);
  expect(signal.aborted).toBe(true);
  expect(exit).not.toHaveBeenCalled();
});

test('a second Ctrl-C ends at once', () => {
  const { exit, process } = start();
  process.emit('SIGINT');
  vi.advanceTimersByTime(1000);
  process.emit('SIGINT');
  expect(exit.mock.calls).toEqual([[130]]);
});

test('what does not listen is ended after a while', () => {
  const { exit, process } = start();
  process.emit('SIGTERM');
  vi.advanceTimersByTime(60_000);
  expect(exit.mock.calls).toEqual([[130]]);
});
