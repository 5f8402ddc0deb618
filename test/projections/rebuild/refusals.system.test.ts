import { expect, onTestFinished, test } from 'vitest';
import { rebuild } from '../../../src/projections/rebuild/rebuild.ts';
import { swap } from '../../../src/projections/rebuild/swap.ts';
import { verify } from '../../../src/projections/rebuild/verify.ts';
import { wholeStory } from '../follow/a-story.ts';
import { rebuildScene } from './scene.ts';

/** It tries for seconds. */
test('a swap waits for no reader for long: a long one makes it refuse, and nobody queues behind it', async () => {
  const { side, needs, ...scene } = await rebuildScene();
  onTestFinished(() => scene.close());
  await scene.tell(...wholeStory());
  await scene.settle();
  await rebuild(needs, { name: 'accounts' });
  await verify(needs, { name: 'accounts' });
  const reader = await side.pool.connect();
  await reader.query('begin; select from accounts limit 1');
  try {
    const inUse = expect.objectContaining({ code: 'tables-in-use' });
    await expect(swap(needs, { name: 'accounts' })).rejects.toEqual(inUse);
  } finally {
    await reader.query('rollback');
    reader.release();
  }
  await swap(needs, { name: 'accounts' });
});
