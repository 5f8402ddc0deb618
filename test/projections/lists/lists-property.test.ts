import fc from 'fast-check';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { testReadModels } from '../../support/log/read-models.ts';
import { scriptedLog } from '../../support/log/test-projector.ts';
import {
  accessRight,
  accessRightRemoved,
  profile,
  profileRemoved,
  reservation,
  reservationRemoved,
  tell,
  type Told,
} from '../follow/a-story.ts';
import { dumpOf, makeListsModel } from './lists-model.ts';
import { makeListsTables } from './lists-tables.ts';
import { isRelease } from '../../support/tiers.ts';

const side = await testReadModels();
const tables = makeListsTables(side);
afterEach(() => tables.clear());
afterAll(() => side.close());

const organizationId = fc.constantFrom('O1', 'O2');
const profileId = fc.constantFrom('P1', 'P2', 'P3');
const recordId = fc.nat({ max: 9 }).map((n) => `R${n}`);
const userId = fc.constantFrom(null, 'U1', 'U2');

/** Also removals of what nobody knows: the host platform may send them. */
const told: fc.Arbitrary<Told> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(profileId, userId, organizationId).map(([id, user, o]) => profile(id, 1, user, o)),
  },
  { weight: 1, arbitrary: fc.tuple(profileId, organizationId).map(([id, o]) => profileRemoved(id, 1, o)) },
  {
    weight: 6,
    arbitrary: fc.tuple(recordId, profileId, organizationId).map(([id, p, o]) => reservation(id, p, 1, o)),
  },
  { weight: 2, arbitrary: fc.tuple(recordId, organizationId).map(([id, o]) => reservationRemoved(id, 1, o)) },
  {
    weight: 6,
    arbitrary: fc.tuple(recordId, profileId, organizationId).map(([id, p, o]) => accessRight(id, p, 1, o)),
  },
  { weight: 2, arbitrary: fc.tuple(recordId, organizationId).map(([id, o]) => accessRightRemoved(id, 1, o)) },
);

test('whatever happens, and however it is cut into batches, the tables are those of plain arrays after each batch', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(told, { minLength: 1, maxLength: 60, size: 'max' }),
      fc.infiniteStream(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 30 }))),
      fc.record({ fanOut: fc.constantFrom(2, 3), mostMoves: fc.constantFrom(1, 2, 5, 1000) }),
      async (story, cuts, options) => {
        await tables.clear();
        const model = makeListsModel(options.fanOut);
        const log = scriptedLog();
        let events: readonly RecordedEvent[] = tell(log, ...story);
        for (const cut of cuts) {
          if (events.length === 0) break;
          for (const event of events.slice(0, cut)) model.apply(event);
          await tables.apply(events.slice(0, cut), options);
          expect(await dumpOf(side.pool)).toEqual(model.dump());
          events = events.slice(cut);
        }
      },
    ),
    propertyRuns(isRelease ? 150 : 50),
  );
});
