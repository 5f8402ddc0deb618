import { describe, expect, test, vi } from 'vitest';
import { startKafkaBroker } from '../../../support/kafka-broker/start-broker.ts';
import { describeWithBroker, startsBrokers } from '../../../support/kafka-broker/with-broker.ts';
import { startTcpProxy } from '../../../support/servers/tcp-proxy.ts';
import { type IngestScene, startIngestScene, times, untilRead, versionsOf, waiting } from './scene.ts';
import { allowTrouble } from '../../../support/trouble/expect-trouble.ts';
import { brokerAway } from '../../../support/trouble/server-killed.ts';

allowTrouble(...brokerAway);

const records = (scene: IngestScene, from: number, count: number) =>
  times(count).map((i) => scene.profile(`p${from + i}`));

const expectOnce = async (scene: IngestScene, count: number) => {
  const versions = versionsOf(await scene.recorded());
  expect(Object.keys(versions)).toHaveLength(count);
  expect(new Set(Object.values(versions).map((all) => all.join()))).toEqual(new Set(['1']));
  expect(await scene.messagesOf(scene.meeting.topics.deadLetter)).toBe(0);
};

describeWithBroker('LI-08: an outage costs nothing but time', () => {
  describe('of what the records need', () => {
    test('the event store: nothing is passed over, nothing is a dead letter, and then all is there', async () => {
      let wire = { cut: () => Promise.resolve(), mend: () => Promise.resolve() };
      const scene = await startIngestScene({
        eventStoreThrough: async (url) => {
          const target = Number(new URL(url).port);
          let proxy = await startTcpProxy(target);
          const { port } = proxy;
          wire = {
            cut: () => proxy.close(),
            mend: async () => void (proxy = await startTcpProxy(target, port)),
          };
          return { url: proxy.url, close: () => proxy.close() };
        },
      });
      try {
        const member = await scene.member();
        await scene.send(records(scene, 0, 100));
        await untilRead(scene);
        await wire.cut();
        await scene.send(records(scene, 100, 300));
        await vi.waitFor(() => expect(member.status().retries).toBeGreaterThan(1), waiting);
        expect(await scene.lag()).toBe(300);
        expect(member.status().members[0]?.consumption.trouble).toContain('EventStoreUnavailable');
        await wire.mend();
        await untilRead(scene);
        await expectOnce(scene, 400);
        expect(member.counted()['dead-lettered']).toBeUndefined();
      } finally {
        await scene.close();
      }
    });

    test.runIf(startsBrokers)('the broker, killed and started again in the middle', async () => {
      const broker = await startKafkaBroker();
      const scene = await startIngestScene({ brokers: [broker.brokers], partitions: 2 });
      try {
        await scene.send(records(scene, 0, 500));
        const member = await scene.member();
        await vi.waitFor(() => expect(member.counted()['added']).toBeGreaterThan(0), waiting);
        await broker.kill();
        await broker.start();
        await vi.waitFor(() => scene.send(records(scene, 500, 500)), waiting);
        await untilRead(scene);
        // What was stored before the member lost its group is read again, and is then unchanged.
        const { added = 0, unchanged = 0 } = member.counted();
        expect([added <= 1000, added + unchanged >= 1000]).toEqual([true, true]);
        await expectOnce(scene, 1000);
      } finally {
        await scene.close();
        await broker.close();
      }
    });
  });
});
