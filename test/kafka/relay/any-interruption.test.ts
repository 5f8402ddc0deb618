import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../support/property-runs.ts';
import { anyHistory, play, type Step } from './history.ts';
import { relayAll, toMessage, type Wrong } from './relay-runs.ts';
import { idsByKey, idsInLog, keptOnce, idOf } from './seen-by-a-reader.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

expectTrouble(/the relay cannot publish.*the answer was lost/);

const anyTape = fc.array(fc.nat({ max: 9999 }), { maxLength: 400, size: 'max' });

/** A reader of all topics that keeps each id once finds, key by key, the log. */
const findsTheLog = async (
  steps: readonly Step[],
  tape: readonly number[],
  wrong: Wrong = {},
): Promise<boolean> => {
  const { log, keys } = play(steps);
  const written = await relayAll(log, tape, wrong);
  return isDeepStrictEqual(idsByKey(keptOnce(written).map(idOf), keys), idsInLog(log.events, keys));
};

test('DA-06: whatever is killed or stopped and goes on later, a reader that keeps each id once finds the log, in order, complete', async () => {
  const property = fc.asyncProperty(anyHistory, anyTape, (steps, tape) => findsTheLog(steps, tape));
  const details = await fc.check(property, propertyRuns(100));
  expect(details.failed ? fc.defaultReportMessage(details) : 'the log').toBe('the log');
});

const neverAborted = new AbortController().signal;

const wrongs: Readonly<Record<string, Wrong>> = {
  'the checkpoint moves before the acknowledgement': {
    relay: (relay) => (events) => {
      relay(events, neverAborted).catch(() => undefined);
      return Promise.resolve('handled');
    },
  },
  'runs are not separated': {
    kafka: ({ publish }) => {
      const underWay: Promise<void>[] = [];
      const untilWritten = (...given: Parameters<typeof publish>): Promise<void> =>
        publish(...given).catch(() => untilWritten(...given));
      return {
        publish: (messages, signal) => {
          underWay.push(untilWritten(messages, signal));
          return Promise.resolve();
        },
        settled: () => Promise.all(underWay),
      };
    },
  },
  'only what failed is sent again, after what came behind it': {
    kafka: ({ publish }) => ({
      async publish(messages, signal) {
        const half = Math.ceil(messages.length / 2);
        const [first, second] = [messages.slice(0, half), messages.slice(half)];
        const failed = await publish(first, signal).then(
          () => false,
          () => true,
        );
        if (second.length > 0) await publish(second, signal);
        if (failed) await publish(first, signal);
      },
    }),
  },
  'the key of a grant is its id': {
    toMessage: (event, owner) => {
      const message = toMessage(event, owner);
      return message && event.stream.startsWith('grant-') ? { ...message, key: event.stream } : message;
    },
  },
};

describe('each of these is found', () => {
  test.each(Object.keys(wrongs))('%s', async (name) => {
    const property = fc.asyncProperty(anyHistory, anyTape, (steps, tape) =>
      findsTheLog(steps, tape, wrongs[name]),
    );
    const { failed } = await fc.check(property, { numRuns: 2_000, endOnFailure: true });
    expect(failed).toBe(true);
  });
});
