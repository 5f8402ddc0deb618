import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { propertyRuns } from '../../support/property-runs.ts';
import { anyMessages, newestOf } from './hostile-messages.ts';
import { counted, ingestScene, inTopics, organizationId, topics } from './scene.ts';

test('LI-08: whatever is sent is recorded, counted as known, or a dead letter with a reason; nothing stops the partition', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyMessages(organizationId, { least: 1, most: 30, largest: 400_000 }),
      async (messages) => {
        const run = await ingestScene();
        for (const message of messages) run.kafka.write({ topic: topics.in.profiles, ...message });
        const ingest = run.start();
        await vi.waitFor(() => expect(run.kafka.lag('grantbook', inTopics)).toBe(0n), {
          interval: 1,
          timeout: 15_000,
        });
        await ingest.stop();

        const versions: Record<string, number> = {};
        for (const { event } of run.recorded())
          if ('version' in event.data && 'id' in event.data) versions[event.data.id] = event.data.version;
        expect(versions).toEqual(newestOf(messages));

        const bad = messages.flatMap((message, offset) => (message.good ? [] : [{ ...message, offset }]));
        const letters = run.kafka.messages(topics.deadLetter);
        expect(run.deadLetters().map(({ offset }) => offset)).toEqual(bad.map(({ offset }) => offset));
        for (const [index, { key, value, headers }] of bad.entries()) {
          expect(run.deadLetters()[index]?.reason).toMatch(/^(unreadable|invalid|unknown-organization)$/);
          expect(sameBytes(letters[index]?.key, key)).toBe(true);
          expect(sameBytes(letters[index]?.value, value)).toBe(true);
          for (const [name, values] of Object.entries(headers)) {
            if (name.startsWith('grantbook-')) continue;
            const kept = letters[index]?.headers.filter(([of]) => of === name).map(([, content]) => content);
            expect(kept).toEqual(values);
          }
        }
        const outcomes = Object.values(counted(ingest)).reduce((sum, count) => sum + count, 0);
        expect(outcomes).toBe(messages.length);
      },
    ),
    propertyRuns(60),
  );
}, 60_000);

/** Comparing matchers take megabytes byte by byte. */
const sameBytes = (a: Buffer | null | undefined, b: Buffer | null): boolean =>
  a instanceof Buffer && b !== null ? a.equals(b) : a === b;
