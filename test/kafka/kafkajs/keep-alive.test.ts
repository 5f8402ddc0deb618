import { expect, test, vi } from 'vitest';
import { makeKeepAlive } from '../../../src/kafka/kafkajs/keep-alive.ts';

const failure = (type: string) => Object.assign(new Error(type), { type });

const scene = () => {
  const silence = vi.fn<() => void>();
  const keepAlive = makeKeepAlive({ heartbeatMs: 1, sessionMs: 20, silence });
  const signal = keepAlive.signal();
  const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  return { silence, keepAlive, signal, ended };
};

test('who is out of the group learns it, and continues with the next round', async () => {
  const { silence, keepAlive, signal, ended } = scene();
  await keepAlive.during(() => Promise.reject(failure('REBALANCE_IN_PROGRESS')), ended);
  expect(signal.aborted).toBe(true);
  expect(silence).not.toHaveBeenCalled();
  keepAlive.joined();
  expect(keepAlive.signal().aborted).toBe(false);
});

test('when no heartbeat is answered for a session, the membership ends: there may never be a next round', async () => {
  const { silence, keepAlive, ended } = scene();
  await keepAlive.during(() => Promise.reject(failure('REQUEST_TIMED_OUT')), ended);
  expect(silence).toHaveBeenCalled();
});

test('heartbeats that are answered keep it', async () => {
  const { silence, keepAlive, signal } = scene();
  let beats = 0;
  let finish = () => {};
  const work = new Promise<void>((resolve) => (finish = resolve));
  await keepAlive.during(() => {
    beats += 1;
    if (beats > 40) finish();
    return Promise.resolve();
  }, work);
  expect(signal.aborted).toBe(false);
  expect(silence).not.toHaveBeenCalled();
});
