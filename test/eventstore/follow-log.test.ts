import { expect, test } from 'vitest';
import { PositionNotInLog } from '../../src/eventstore/event-store.ts';
import { followLog } from '../../src/eventstore/client/subscription.ts';
import type { Source } from '../../src/eventstore/client/subscription-source.ts';
import type { TakeEvents } from '../../src/eventstore/client/take-events.ts';
import { quietLogger } from '../support/quiet-logger.ts';

/** A call that has ended like this. */
const ended = (cause: unknown): Source => ({
  take: () => Promise.resolve(null),
  ending: () => cause,
  stop: () => undefined,
});

test('whoever follows learns that a subscription resumes, and that its position is in the log no more', async () => {
  const unknown = Object.assign(new Error('Invalid position'), { code: 3 });
  const calls = [ended(undefined), ended(new Error('lost')), ended(unknown)];
  let resumed = 0;
  const following = followLog(
    {
      open: () => calls.shift() ?? ended(unknown),
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
