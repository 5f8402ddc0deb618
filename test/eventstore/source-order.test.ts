import { expect, test } from 'vitest';
import { type Arrival, openSource } from '../../src/eventstore/client/subscription-source.ts';
import { callOfClient } from '../support/documents/call-of-client.ts';

const told = (arrival: Arrival): string => {
  if (arrival.kind === 'caught-up') return 'caught up';
  const { commit } = arrival.kind === 'event' ? arrival.event.position : arrival.position;
  return `${arrival.kind} ${commit}`;
};

test('a checkpoint and a caught-up wait for the events that the client still buffers, which they would skip', async () => {
  const call = callOfClient();
  const source = openSource(call.esdb, { after: null, regex: '^Kept$', confirmMs: 10_000 });
  call.stream.pause(); // the consumer is slow
  call.stream.emit('confirmation');
  for (const commit of [1n, 2n, 3n]) call.event(commit);
  await new Promise(setImmediate);
  expect(call.stream.readableLength).toBe(3);
  call.checkpoint(3n);
  call.event(4n);
  call.caughtUp();
  call.stream.resume();
  const seen: string[] = [];
  while (seen.length < 6) seen.push(...((await source.take()) ?? []).map(told));
  expect(seen).toEqual(['event 1', 'event 2', 'event 3', 'checkpoint 3', 'event 4', 'caught up']);
  source.stop();
});
