import { expect, test } from 'vitest';
import { PositionNotInLog } from '../../src/eventstore/event-store.ts';
import { followLog } from '../../src/eventstore/client/subscription.ts';
import type { Arrival, Source } from '../../src/eventstore/client/subscription-source.ts';
import type { TakeEvents } from '../../src/eventstore/client/take-events.ts';
import { quietLogger } from '../support/quiet-logger.ts';

/** A call that has ended like this, after what arrived. */
const ended = (cause: unknown, ...arrived: Arrival[][]): Source => ({
  take: () => Promise.resolve(arrived.shift() ?? null),
  ending: () => cause,
  stop: () => undefined,
});

const unknownPosition = Object.assign(new Error('Invalid position'), { code: 3 });

test('what arrived before a subscription ended is delivered', async () => {
  const arrival: Arrival = { kind: 'checkpoint', position: { commit: 7n, prepare: 7n } };
  const following = followLog(
    {
      open: () => ended(unknownPosition, [arrival]),
      logger: quietLogger(),
      take: { prepare: (events) => Promise.resolve(events) } as TakeEvents,
    },
    { after: null, eventTypes: ['SessionEnded'], signal: new AbortController().signal },
  );
  expect(await following.next()).toEqual({ done: false, value: [arrival] });
  await expect(following.next()).rejects.toThrow(PositionNotInLog);
});

test('whoever follows learns that a subscription resumes, and that its position is in the log no more', async () => {
  const calls = [ended(undefined), ended(new Error('lost')), ended(unknownPosition)];
  let resumed = 0;
  const following = followLog(
    {
      open: () => calls.shift() ?? ended(unknownPosition),
      logger: quietLogger(),
      take: {} as TakeEvents,
      random: () => 0,
      longestWaitMs: 1,
      resumed: () => (resumed += 1),
    },
    { after: null, eventTypes: ['SessionEnded'], signal: new AbortController().signal },
  );
  await expect(following.next()).rejects.toThrow(PositionNotInLog);
  expect(calls).toEqual([]);
  expect(resumed).toBe(3);
});
