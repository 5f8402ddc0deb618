import { expect, test } from 'vitest';
import { sampleLag } from '../../../src/projections/operations/sample-lag.ts';
import { positionOf, scriptedLog } from '../../support/log/test-projector.ts';
import { activated, deactivated, tell } from './a-story.ts';

test('OP-08: each group is sampled again and again; while nothing moves, nothing is read', async () => {
  const log = scriptedLog();
  tell(log, activated(1), deactivated(1), activated(2));
  let at = 20;
  const head = () => Promise.resolve(log.events.at(-1)?.position ?? null);
  let time = 0;
  const ofProjector = {
    name: 'projector',
    eventTypes: ['AddonActivated', 'AddonDeactivated'] as const,
    checkpoint: () => Promise.resolve(positionOf(at)),
  };
  const unknown = { ...ofProjector, name: 'lost', checkpoint: () => Promise.reject(new Error('it is away')) };
  const sampler = sampleLag({
    log: { ...log, head },
    groups: [ofProjector, unknown],
    now: () => (time += 1),
    everyMs: 1,
    keep: 3,
  });
  const behind = (group: number) => sampler.samples()[group]?.samples.map((sample) => sample.behind);
  await expect.poll(() => behind(0)).toEqual([1, 1, 1]);
  expect(behind(1)).toEqual([null, null, null]);
  expect(log.subscriptions()).toBe(1);
  at = 10;
  await expect.poll(() => behind(0)).toEqual([2, 2, 2]);
  await sampler.stop();
  expect(sampler.samples().map(({ name }) => name)).toEqual(['projector', 'lost']);
  expect(log.subscriptions()).toBe(2);
});
