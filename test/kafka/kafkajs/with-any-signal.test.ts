import { expect, test } from 'vitest';
import { withAnySignal } from '../../../src/kafka/kafkajs/publisher.ts';

test('the signal is aborted with either, also with one that was aborted before', async () => {
  const [a, b] = [new AbortController(), new AbortController()];
  const signals = [a.signal, b.signal];
  await withAnySignal(signals, (signal) => Promise.resolve(expect(signal.aborted).toBe(false)));
  await withAnySignal(signals, (signal) => {
    b.abort();
    return Promise.resolve(expect(signal.aborted).toBe(true));
  });
  await withAnySignal(signals, (signal) => Promise.resolve(expect(signal.aborted).toBe(true)));
});

test('what it is used for decides the outcome', async () => {
  const { signal } = new AbortController();
  expect(await withAnySignal([signal], () => Promise.resolve(7))).toBe(7);
  await expect(withAnySignal([signal], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
