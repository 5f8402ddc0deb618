import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderedBatches } from '../../../src/kafka/relay/relay.ts';

const message = (key: string, topic: string, value = '') => ({ topic, key, value, headers: {} });

test('a key is in one topic only within a run, and its next topic is in the next run', () => {
  const [a1, g1, g2, other, a2] = [
    message('O1.A1', 'activations'),
    message('O1.A1', 'grants'),
    message('O1.A1', 'grants'),
    message('O2.A1', 'grants'),
    message('O1.A1', 'activations'),
  ] as const;
  expect(orderedBatches([a1, g1, g2, other, a2])).toEqual([[a1, other], [g1, g2], [a2]]);
});

test('many activations with their grants make two runs, not two for each', () => {
  const keys = Array.from({ length: 500 }, (_, n) => `O${n}.A1`);
  const messages = keys.flatMap((key) => [message(key, 'activations'), message(key, 'grants')]);
  expect(orderedBatches(messages).map(({ length }) => length)).toEqual([500, 500]);
  expect(orderedBatches([])).toEqual([]);
});

test('one after the other, runs are everything once, with the messages of each key in their order', () => {
  const any = fc.array(fc.tuple(fc.constantFrom('x', 'y', 'z'), fc.constantFrom('a', 'g')), { size: '+1' });
  fc.assert(
    fc.property(any, (drawn) => {
      const messages = drawn.map(([key, topic], n) => message(key, topic, String(n)));
      const runs = orderedBatches(messages);
      for (const run of runs) {
        expect(run).not.toEqual([]);
        const topics = new Set(run.map(({ key, topic }) => `${String(key)} ${topic}`));
        expect(topics.size).toBe(new Set(run.map(({ key }) => key)).size);
      }
      for (const key of ['x', 'y', 'z']) {
        const of = (some: readonly (typeof messages)[number][]) => some.filter((each) => each.key === key);
        expect(of(runs.flat() as typeof messages)).toEqual(of(messages));
      }
      expect(runs.flat()).toHaveLength(messages.length);
    }),
  );
});
