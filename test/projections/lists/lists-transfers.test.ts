import { expect, test } from 'vitest';
import type { Operation } from '../../../src/projections/lists/write/operations.ts';
import type { RecordRow } from '../../../src/projections/lists/write/rows.ts';
import { transfersIn } from '../../../src/projections/lists/write/transfers.ts';

const of = { list: 'profiles', organizationId: 'O1' } as const;
const belongs = (id: string, owner: string | null): Operation => ({
  ...of,
  id,
  position: 1n,
  at: 0,
  content: { owner, revision: 0n, changed: 1n, storedAt: '2026-01-01T00:00:00Z', item: '{}' },
});
const removed = (id: string): Operation => ({ ...of, id, position: 1n, at: 0, content: null });
const known = (id: string, userId: string): RecordRow => ({
  ...of,
  id,
  place: { ordinal: 0, entered: 0n },
  ofUser: { userId, ordinal: 0, entered: 0n },
  profileId: null,
  createdAt: '2026-01-01T00:00:00Z',
});
const timesIn = (operations: readonly Operation[], before: readonly RecordRow[] = []) =>
  [...transfersIn(operations, before).values()].map(({ profile, times }) => `${profile.id} ${times}`);

test('a profile that changes its user several times in a batch moves its records each time', () => {
  expect(timesIn([belongs('P1', 'U2'), belongs('P1', 'U1'), removed('P1')], [known('P1', 'U1')])).toEqual([
    'P1 3',
  ]);
  expect(timesIn([belongs('P1', 'U1'), belongs('P1', 'U1'), belongs('P2', 'U1')])).toEqual(['P1 1', 'P2 1']);
});

test('a profile whose user stays moves nothing, nor does one that had none and goes away', () => {
  expect(timesIn([belongs('P1', 'U1')], [known('P1', 'U1')])).toEqual([]);
  expect(timesIn([belongs('P1', null), removed('P1'), removed('P2')])).toEqual([]);
});
