import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { anyMessages, expectSame, newestOf } from './hostile-messages.ts';
import { counted, ingestScene, inTopics, organizationId, topics } from './scene.ts';

test('LI-08: whatever is sent is recorded, counted as known, or a dead letter with a reason; nothing stops the partition', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyMessages(organizationId, { least: 1, most: 30, largest: 400_000 }),
      async (messages) => {
        const run = await ingestScene();
        for (const message of messages) run.kafka.write({ topic: topics.in.profiles, ...message });
        const ingest = run.start();
        await eventually(() => expect(run.kafka.lag('grantbook', inTopics)).toBe(0n));
        await ingest.stop();

        const versions: Record<string, number> = {};
        for (const { event } of run.recorded())
          if ('version' in event.data && 'id' in event.data) versions[event.data.id] = event.data.version;
        expect(versions).toEqual(newestOf(messages));

        const bad = messages.flatMap((message, offset) => (message.good ? [] : [{ ...message, offset }]));
        const letters = run.kafka.messages(topics.deadLetter);
        expect(run.deadLetters().map(({ offset }) => offset)).toEqual(bad.map(({ offset }) => offset));
        for (const [index, message] of bad.entries()) {
          expect(run.deadLetters()[index]?.reason).toMatch(/^(unreadable|invalid|unknown-organization)$/);
          expectSame(letters[index], message);
        }
        const outcomes = Object.values(counted(ingest)).reduce((sum, count) => sum + count, 0);
        expect(outcomes).toBe(messages.length);
      },
    ),
    propertyRuns(60),
  );
});
