import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { relayPoints } from '../../../../src/kafka/relay/relay-point.ts';
import { brokers, describeWithBroker } from '../../../support/kafka-broker/with-broker.ts';
import { anyHistory, play } from '../../relay/history.ts';
import { startRelayScene, type RelayScene } from './scene.ts';
import { startChild } from './start-child.ts';

const isSlow = process.env['GRANTBOOK_SLOW_TESTS'] !== undefined;

/** Some 150 events of several organizations, add-ons and users; another story each time, by its seed. */
const story = (seed: number) => play(fc.sample(anyHistory, { seed, numRuns: 4 }).flat()).log.events;

const openScene = async (): Promise<RelayScene> => {
  const scene = await startRelayScene(brokers());
  onTestFinished(() => scene.close());
  return scene;
};

describeWithBroker('DA-06: the promise, on a real broker', () => {
  const killed = isSlow ? relayPoints : (['between-runs', 'acknowledged'] as const);
  test(`killed at ${killed.join(', ')}, it repeats messages and nothing else; a reader that keeps each id once finds the log`, async () => {
    const scene = await openScene();
    await scene.append(story(1));
    const children = killed.map((point) => startChild(scene.ground, { point, nth: 2, signal: 'SIGKILL' }));
    await Promise.all(children.map(({ ended }) => ended));
    await scene.relay().caughtUp;
    const { log, found, copies } = await scene.compare();
    expect(found).toEqual(log);
    expect(copies).toBeGreaterThan(Object.values(log).flat().length);
  }, 60_000);
});
