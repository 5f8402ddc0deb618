import { expect, test } from 'vitest';
import type { Position } from '../../../src/eventstore/event-store.ts';
import { makeCheckpointWriter } from '../../../src/projections/follow/checkpoint-writer.ts';
import { positionOf } from '../../support/log/test-projector.ts';

const open = (write: (to: Position) => Promise<void> = () => Promise.resolve()) => {
  const told: string[] = [];
  const writer = makeCheckpointWriter({
    start: null,
    write: (_from, to) => {
      told.push(`writes ${to.commit}`);
      return write(to);
    },
    wrote: (position, atEnd) => told.push(`wrote ${position?.commit}${atEnd ? ', at the end' : ''}`),
    failed: () => told.push('failed'),
  });
  return { writer, told };
};

test.each(Array.from({ length: 12 }, (_, turns) => turns))(
  'what is said %i turns after something else is not forgotten',
  async (turns) => {
    const { writer, told } = open();
    writer.moveTo(positionOf(1), false);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    writer.moveTo(positionOf(2), false);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    writer.moveTo(null, true);
    await writer.settled();
    expect(told.filter((line) => line.startsWith('writes')).at(-1)).toBe('writes 2');
    expect(told.at(-1)).toBe('wrote 2, at the end');
  },
);

test('while one is being written only the last of what is said is kept', async () => {
  let finish = () => {};
  const { writer, told } = open(() => new Promise((resolve) => (finish = resolve)));
  for (const n of [1, 2, 3]) writer.moveTo(positionOf(n), false);
  finish();
  await expect.poll(() => told).toEqual(['writes 1', 'wrote 1', 'writes 3']);
  finish();
  await writer.settled();
  expect(told.at(-1)).toBe('wrote 3');
});

test('after a failure nothing is written any more', async () => {
  const { writer, told } = open(() => Promise.reject(new Error('moved by another leader')));
  writer.moveTo(positionOf(1), false);
  await writer.settled();
  writer.moveTo(positionOf(2), false);
  await writer.settled();
  expect(told).toEqual(['writes 1', 'failed']);
});
