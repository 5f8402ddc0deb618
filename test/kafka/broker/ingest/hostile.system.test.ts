import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAll, testClient } from '../../../support/kafka-broker/test-client.ts';
import { describeWithBroker } from '../../../support/kafka-broker/with-broker.ts';
import { deadLetterOf } from '../../ingest/scene.ts';
import { anyMessages, expectSame, newestOf } from '../../ingest/hostile-messages.ts';
import { startIngestScene, untilRead, versionsOf, waiting } from './scene.ts';

describeWithBroker('LI-08: hostile messages on a real broker', () => {
  test('are dead letters as they came, and the good ones between them are recorded', async () => {
    const scene = await startIngestScene();
    try {
      const { profiles } = scene.meeting.topics.in;
      const count = 1_000;
      const size = { least: count, most: count, largest: 900_000 };
      const [messages = []] = fc.sample(anyMessages(scene.organizationId, size), 1);
      const member = await scene.member();
      await scene.send(messages.map((message) => ({ topic: profiles, ...message })));
      await untilRead(scene);
      const letters = readAll(testClient(), [scene.meeting.topics.deadLetter]);
      const bad = messages.flatMap((message, offset) => (message.good ? [] : [{ ...message, offset }]));
      await expect.poll(() => letters.length, waiting).toBeGreaterThanOrEqual(bad.length);
      const byOffset = new Map(letters.map((letter) => [deadLetterOf(letter).offset, letter]));
      expect(new Set(byOffset.keys())).toEqual(new Set(bad.map(({ offset }) => offset)));
      for (const message of bad) {
        const letter = byOffset.get(message.offset);
        expect(letter && deadLetterOf(letter).reason).toMatch(/^(unreadable|invalid|unknown-organization)$/);
        expectSame(letter, message);
      }
      const newest = Object.entries(versionsOf(await scene.recorded())).map(([id, all]) => [id, all.at(-1)]);
      expect(Object.fromEntries(newest)).toEqual(newestOf(messages));
      const counts = Object.values(member.counted()).reduce((sum, count) => sum + count, 0);
      expect(counts).toBeGreaterThanOrEqual(messages.length);
    } finally {
      await scene.close();
    }
  });
});
