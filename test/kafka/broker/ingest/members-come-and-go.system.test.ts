import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { describeWithBroker } from '../../../support/kafka-broker/with-broker.ts';
import { untilWeDie } from '../../../support/servers/until-we-die.ts';
import type { Point } from './children/member.ts';
import type { Meeting } from './member.ts';
import {
  type IngestScene,
  startIngestScene,
  startWorld,
  times,
  untilRead,
  versionsOf,
  waiting,
} from './scene.ts';
import { allowTrouble } from '../../../support/trouble/expect-trouble.ts';
import { brokerAway } from '../../../support/trouble/server-killed.ts';

allowTrouble(...brokerAway);

const startMember = (meeting: Meeting, point: Point) =>
  spawn(
    ...untilWeDie(
      process.execPath,
      '--import',
      'tsx',
      join(import.meta.dirname, 'children/member.ts'),
      JSON.stringify(meeting),
      point,
    ),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );

/** So few that a busy machine reads them all while a test waits. */
const [perLoad, mostLoads] = [20, 20];

/** Some records more, two versions of each. */
const load = (scene: IngestScene, nth: number) =>
  [1, 2].flatMap((version) => times(perLoad).map((i) => scene.profile(`p${nth * perLoad + i}`, version)));

/** Each record once with each version that it got, in order, and with its newest in the end. */
const expectAll = async (scene: IngestScene, loads: number) => {
  const versions = versionsOf(await scene.recorded());
  expect(new Set(Object.keys(versions))).toEqual(new Set(times(loads * perLoad).map((i) => `p${i}`)));
  for (const [id, all] of Object.entries(versions))
    expect([id, all.join()]).toEqual([id, expect.stringMatching(/^(1,)?2$/)]);
};

/**
 * One after the other: the event store's client keeps the pending appends of a process in one table (trap 3), and members that end beside
 * others' load would make all of them begin again and again.
 */
describeWithBroker('LI-08: members of the group', () => {
  describe('that come and go', () => {
    let world: Awaited<ReturnType<typeof startWorld>>;
    beforeAll(async () => void (world = await startWorld()));
    afterAll(() => world.close());

    test('join and leave under load: no record is lost or there twice', async () => {
      const scene = await startIngestScene({ world, partitions: 4 });
      try {
        const first = await scene.member();
        const send = async (from: number, to: number) => {
          for (let nth = from; nth < to; nth += 1) await scene.send(load(scene, nth));
        };
        await send(0, 3);
        const sending = send(3, 10);
        const second = await scene.member();
        const partitions = (member: typeof first) =>
          member.status().members[0]?.consumption.partitions.length;
        await vi.waitFor(() => expect([partitions(first), partitions(second)]).toEqual([6, 6]), waiting);
        await sending;
        await send(10, 12);
        await vi.waitFor(() => expect(second.counted()['added']).toBeGreaterThan(0), waiting);
        await second.leave();
        await send(12, 14);
        await untilRead(scene);
        await expectAll(scene, 14);
      } finally {
        await scene.close();
      }
    });

    const points: readonly Point[] = [
      'some are appended',
      'all are appended',
      'dead letters are acknowledged',
    ];

    test.each(points)(
      'killed when %s and nothing is committed: another reads the same again, without effect',
      async (point) => {
        const scene = await startIngestScene({ world, partitions: 2 });
        try {
          const bad = { topic: scene.meeting.topics.in.profiles, key: 'bad', value: 'not JSON', headers: {} };
          await scene.send([bad, ...load(scene, 0)]);
          const child = startMember(scene.meeting, point);
          const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
          expect(signal).toBe('SIGKILL');
          const before = await scene.recorded();
          expect(before.length).toBeGreaterThan(0);
          expect(await scene.lag()).toBeGreaterThan(0);
          const heir = await scene.member();
          await untilRead(scene);
          await expectAll(scene, 1);
          const recorded = await scene.recorded();
          expect(recorded.slice(0, before.length).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
          const { unchanged = 0, outdated = 0 } = heir.counted();
          expect(unchanged + outdated).toBeGreaterThan(0);
          const letters = await scene.messagesOf(scene.meeting.topics.deadLetter);
          expect(point === 'dead letters are acknowledged' ? [2] : [1, 2]).toContain(letters);
        } finally {
          await scene.close();
        }
      },
    );

    test('killed under load: another takes over its partitions, and nothing is lost or there twice', async () => {
      const scene = await startIngestScene({ world, partitions: 4 });
      try {
        const first = await scene.member();
        const child = startMember(scene.meeting, 'never');
        let handled = 0;
        child.stdout.on('data', () => (handled += 1));
        const partitions = () => first.status().members[0]?.consumption.partitions.length;
        // Before anything is sent: what a slow machine sends while a member starts would have to be read, too.
        await vi.waitFor(() => expect(partitions()).toBe(6), waiting);
        let [sent, isSending] = [0, true];
        const send = async () => {
          for (; isSending && sent < mostLoads; sent += 1) {
            await scene.send(load(scene, sent));
            await sleep(500);
          }
        };
        const sending = send();
        void sending.catch(() => undefined); // awaited below, unless something else fails first
        await vi.waitFor(() => expect(handled).toBeGreaterThan(1), waiting);
        child.kill('SIGKILL');
        expect(partitions()).toBe(6);
        isSending = false;
        await sending;
        await vi.waitFor(() => expect(partitions()).toBe(12), waiting);
        await untilRead(scene);
        await expectAll(scene, sent);
      } finally {
        await scene.close();
      }
    });
  });
});
