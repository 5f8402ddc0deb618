import { afterEach, beforeEach, expect, test } from 'vitest';
import { comparePositions, type Position } from '../../src/eventstore/event-store.ts';
import { patience } from '../support/patience.ts';
import { testReadModels, type TestReadModels } from '../support/log/read-models.ts';
import { testEventStore, type TestEventStore } from '../support/servers/test-event-store.ts';
import { projectAll, startTestProjector } from '../support/log/test-projector.ts';
import { wholeStory, type Told } from './follow/a-story.ts';

let side: TestReadModels;
let store: TestEventStore;

beforeEach(async () => {
  [side, store] = await Promise.all([testReadModels(), testEventStore()]);
});
afterEach(async () => {
  await store.close();
  await side.close();
});

/** Appends through the real client; answers the position of the last event. */
const append = async (story: readonly Told[]): Promise<Position> => {
  const revisions = new Map<string, bigint>();
  let last: Position = { commit: 0n, prepare: 0n };
  for (const { stream, event } of story) {
    const appended = await store.append(stream, revisions.get(stream) ?? 'no-stream', [{ event }]);
    if (!appended.ok) throw new Error(`conflict on ${stream}`);
    revisions.set(stream, appended.revision);
    if (comparePositions(appended.position, last) > 0) last = appended.position;
  }
  return last;
};

test('what the commands append through the real client gets into the tables, however often the subscription drops', async () => {
  for (const afterEvents of [0, 3, 1, 7])
    store.node.faults.subscription({ kind: 'end', status: 'UNAVAILABLE', afterEvents });
  const projector = startTestProjector({ databaseUrl: side.database.url, log: store });
  const last = await append(wholeStory());
  expect(await side.progress.waitFor(last, patience)).toBe(true);
  await projector.stop();
  const dropped = await side.dump();
  await side.clear();
  await projectAll(side.database.url, store);
  expect({ ...(await side.dump()), checkpoints: [] }).toEqual({ ...dropped, checkpoints: [] });
  expect(dropped['fence']).not.toEqual([]);
});
