import { afterAll, afterEach, expect, test } from 'vitest';
import { seedRecords } from '../../bench/lists/seed-records.ts';
import { seededEvents, type RecordSeed } from '../../bench/lists/seeded-records.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { projectAll, scriptedLog } from '../support/log/test-projector.ts';

const side = await testReadModels();
afterEach(() => side.clear());
afterAll(() => side.close());

test.each([
  { records: 40, userIds: ['U1', null, 'U2', 'U1'] },
  { records: 300, userIds: ['U1'] },
  { records: 700, userIds: [null, 'U1', 'U2'] },
])('what is seeded is what the projector would have written: $records records', async (given) => {
  const log = scriptedLog();
  const began = Date.UTC(2026, 0, 1) + 1000;
  const seed: RecordSeed = {
    ...given,
    organizationId: 'O1',
    from: { position: 10n, created: began },
    step: { position: 10, created: 1000 },
  };
  for (const { stream, event } of seededEvents(seed)) log.add(stream, event);
  await projectAll(side.database.url, log);
  const { checkpoints: _, ...projected } = await side.dump();
  await side.clear();
  await seedRecords(side.database.url, seed);
  const { checkpoints: _none, ...seeded } = await side.dump();
  expect(seeded).toEqual(projected);
  expect(seeded['access_rights']?.length).toBeLessThan(given.records);
});
