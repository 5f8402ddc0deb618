import fc from 'fast-check';
import { Pool } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type RelayPoint, relayPoints } from '../../../../src/kafka/relay/relay.ts';
import { patience } from '../../../support/patience.ts';
import { brokers, describeWithBroker } from '../../../support/kafka-broker/with-broker.ts';
import { addon } from '../../../projections/follow/a-story.ts';
import { anyHistory, play } from '../../relay/history.ts';
import { startRelayScene, type RelayScene } from './scene.ts';
import { startChild } from './start-child.ts';
import { allowTrouble } from '../../../support/trouble/expect-trouble.ts';
import { brokerAway, serverKilled } from '../../../support/trouble/server-killed.ts';

// Leaders are frozen for so long that their sessions end, and hear of it when they go on.
allowTrouble(...serverKilled, ...brokerAway);

/** Some 150 events of several organizations, add-ons and users; another story each time, by its seed. */
const story = (seed: number) => play(fc.sample(anyHistory, { seed, numRuns: 4 }).flat()).log.events;

const waiting = { timeout: patience, interval: 200 };

const openScene = async (): Promise<RelayScene> => {
  const scene = await startRelayScene(brokers());
  onTestFinished(() => scene.close());
  return scene;
};

describeWithBroker('DA-06: the promise, on a real broker', () => {
  test(`killed at ${relayPoints.join(', ')}, it repeats messages and nothing else; a reader that keeps each id once finds the log`, async () => {
    const scene = await openScene();
    await scene.append(story(1));
    const children = relayPoints.map((point) =>
      startChild(scene.ground, { point, nth: 2, signal: 'SIGKILL' }),
    );
    await Promise.all(children.map(({ ended }) => ended));
    await scene.relay().caughtUp;
    const { log, found, copies } = await scene.compare();
    expect(found).toEqual(log);
    expect(copies).toBeGreaterThan(Object.values(log).flat().length);
  });

  test(`stopped at ${relayPoints.join(', ')}, and going on when another one has done its work, it repeats messages and nothing else`, async () => {
    const scene = await openScene();
    await scene.append(story(2));
    const zombies = relayPoints.map((point) =>
      startChild(scene.ground, { point, nth: 2, signal: 'SIGSTOP' }),
    );
    await Promise.all(zombies.map(({ there }) => there)); // each was followed by the next one
    const relay = scene.relay({ leadership: { pollMs: 20 } });
    await relay.caughtUp;
    const more = [addon('A8'), addon('A9')];
    const published = (await scene.read()).length;
    for (const { child } of zombies) child.kill('SIGCONT');
    await Promise.all(zombies.map(({ steppedDown }) => steppedDown));
    await scene.append(more);
    await vi.waitFor(async () => {
      const { log, found } = await scene.compare();
      expect(found).toEqual(log);
    }, waiting);
    expect((await scene.read()).length).toBeGreaterThan(published + more.length);
  });

  test('two at once, of which each takes the other for gone, interleave; a reader that keeps each id once finds the log', async () => {
    const scene = await openScene();
    await scene.append(story(3));
    // Each batch costs its leader the connection: both lead in turns, and begin again where the checkpoint is.
    const connections = new Pool({ connectionString: scene.ground.databaseUrl });
    onTestFinished(() => connections.end());
    let disturbances = 40;
    const disturb = async (point: RelayPoint) => {
      if (point !== 'acknowledged' || disturbances-- <= 0) return;
      await connections.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'grantbook kafka-relay %'`,
      );
    };
    const both = [1, 2].map(() => scene.relay({ at: disturb, batchSize: 7, leadership: { pollMs: 5 } }));
    await Promise.race(both.map(({ caughtUp }) => caughtUp));
    await vi.waitFor(async () => {
      const { log, found } = await scene.compare();
      expect(found).toEqual(log);
    }, waiting);
    expect(disturbances).toBeLessThanOrEqual(0);
  });
});
