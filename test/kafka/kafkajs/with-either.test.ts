import { expect, test } from 'vitest';
import { withEither } from '../../../src/kafka/kafkajs/with-either.ts';

test('the signal is aborted with either, also with one that was aborted before', async () => {
  const [a, b] = [new AbortController(), new AbortController()];
  const signals = [a.signal, b.signal];
  await withEither(signals, (signal) => Promise.resolve(expect(signal.aborted).toBe(false)));
  await withEither(signals, (signal) => {
    b.abort();
    return Promise.resolve(expect(signal.aborted).toBe(true));
  });
  await withEither(signals, (signal) => Promise.resolve(expect(signal.aborted).toBe(true)));
});

test('what it is used for decides the outcome', async () => {
  const { signal } = new AbortController();
  expect(await withEither([signal], () => Promise.resolve(7))).toBe(7);
  await expect(withEither([signal], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
