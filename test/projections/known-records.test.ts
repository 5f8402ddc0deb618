import { afterAll, expect, test } from 'vitest';
import { makeRecord } from '../../src/commands/records/record.ts';
import { accessRight } from '../../src/domain/records/access-right.ts';
import { profile as profileResource } from '../../src/domain/records/profile.ts';
import { reservation as reservationResource } from '../../src/domain/records/reservation.ts';
import { makeKnownRecords } from '../../src/projections/records/known-records.ts';
import {
  makePipelinedReader,
  type PipelinedReader,
} from '../../src/projections/database/pipelined-reader.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { projectAll } from '../support/log/test-projector.ts';
import { profileOf } from '../support/scenes/profile.ts';

const profile = profileOf('Ada', { email: 'ada@example.com', locale: 'de-AT' });
const reservation = {
  profileId: 'p1',
  resource: 'Room 4',
  startsAt: '2026-05-01T09:00:00Z',
  endsAt: '2026-05-01T10:00:00Z',
  status: 'confirmed',
  title: null,
  note: 'two "quotes" and a 🗝',
} as const;
const right = {
  profileId: 'p1',
  opens: 'North door',
  validFrom: '2026-05-01T09:00:00Z',
  validUntil: null,
  status: 'active',
  reservationId: null,
} as const;
const at = (organizationId: string, id: string, version = 1) => ({ organizationId, id, version });

let statements = 0;
const store = memoryStore();

const side = await testReadModels();
const reader = makePipelinedReader({ databaseUrl: side.database.url, logger: quietLogger() });
const counting: PipelinedReader = {
  ...reader,
  query: (statement, values) => {
    statements += 1;
    return reader.query(statement, values);
  },
};
const known = makeKnownRecords(counting);
const needs = { store, now: () => 1 };
const recordReservation = makeRecord(needs, reservationResource);
await makeRecord(needs, profileResource)({ ...at('O1', 'p1', 7), record: profile });
await makeRecord(needs, accessRight)({ ...at('O1', 'a1'), record: right });
for (let i = 0; i < 1200; i += 1) await recordReservation({ ...at('O1', `r${i}`), record: reservation });
await recordReservation({ ...at('O1', 'r1', 2), record: { ...reservation, status: 'cancelled' } });
await recordReservation({ ...at('O2', 'r1', 5), record: { ...reservation, resource: 'Elsewhere' } });
await recordReservation({ ...at('O1', 'r2', 3), record: null });
await projectAll(side.database.url, store);
afterAll(async () => {
  await reader.close();
  await side.close();
});

test('LI-08: a record is known with its version, its own fields alone, and the revision of its stream', async () => {
  expect(await known.profiles('O1', 'p1')).toEqual({ version: 7, record: profile, revision: 0n });
  expect(await known.accessRights('O1', 'a1')).toEqual({ version: 1, record: right, revision: 0n });
  expect(await known.reservations('O1', 'r1')).toEqual({
    version: 2,
    record: { ...reservation, status: 'cancelled' },
    revision: 1n,
  });
});

test('LI-08: of another organization, of another list, or removed, it is not known', async () => {
  expect(await known.reservations('O2', 'r1')).toMatchObject({
    version: 5,
    record: { resource: 'Elsewhere' },
  });
  expect(await known.reservations('O2', 'r0')).toBeNull();
  expect(await known.reservations('O1', 'p1')).toBeNull();
  expect(await known.reservations('O1', 'r2')).toBeNull();
});

test('LI-08: what is asked for at once travels in a few statements, and everybody gets the own answer', async () => {
  statements = 0;
  const ids = Array.from({ length: 1200 }, (_, i) => `r${i}`);
  const found = await Promise.all([
    ...ids.map((id) => known.reservations('O1', id)),
    known.reservations('O2', 'r1'),
  ]);
  expect(statements).toBe(4);
  expect(found.map((one) => one?.version ?? null)).toEqual([
    ...ids.map((id) => (id === 'r1' ? 2 : id === 'r2' ? null : 1)),
    5,
  ]);
});
