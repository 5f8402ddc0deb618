import { expect, test } from 'vitest';
import type { Ingest } from '../../../src/kafka/ingest/ingest.ts';
import { startIngestAfter } from '../../../src/kafka/ingest/start-ingest-after.ts';

const scene = () => {
  const calls: string[] = [];
  let resolve = () => {};
  const first = new Promise<void>((done) => (resolve = done));
  const reading: Ingest = {
    status: () => ({ messages: [], retries: 7, expired: [], members: [] }),
    stop: () => Promise.resolve(void calls.push('stopped')),
  };
  const ingest = startIngestAfter(first, 'grantbook', () => {
    calls.push('started');
    return reading;
  });
  return { calls, ingest, go: () => (resolve(), first) };
};

test('is joining until it may begin, and says then what the reader says', async () => {
  const { calls, ingest, go } = scene();
  expect(ingest.status().members).toMatchObject([{ group: 'grantbook', consumption: { state: 'joining' } }]);
  expect(calls).toEqual([]);
  await go();
  expect(ingest.status().retries).toBe(7);
  await ingest.stop();
  expect(calls).toEqual(['started', 'stopped']);
});

test('who is stopped before never begins', async () => {
  const { calls, ingest, go } = scene();
  await ingest.stop();
  await go();
  expect(calls).toEqual([]);
});
