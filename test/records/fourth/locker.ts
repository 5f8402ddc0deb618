import { describeRecord, type RecordOf } from '../../../src/domain/records/record-resource.ts';

/** A kind of records that the program does not have. */
export const locker = describeRecord({
  name: 'Locker',
  key: 'lockers',
  category: 'locker',
  table: 'lockers',
  path: 'lockers',
  scope: 'lockers:read',
  scopeCode: 200,
  topic: 'host.lockers',
  message: 'locker',
  readsNumber: 200,
  words: {
    one: 'locker',
    many: 'lockers',
    description: 'Where a profile leaves its things.',
  },
  owner: { is: 'profile', field: 'heldBy' },
  fields: {
    heldBy: { kind: 'record-id', description: 'Whose things are in it.' },
    hall: { kind: 'one-of', values: ['north', 'south'] },
    label: { kind: 'text', maxLength: 20, shown: 'N 17' },
    takenFrom: { kind: 'time' },
    takenUntil: { kind: 'time', optional: true },
    contents: { kind: 'text', maxLength: 200, optional: true, personal: true },
  },
  later: { field: 'takenUntil', than: 'takenFrom' },
  example: {
    id: 'l1',
    record: {
      heldBy: 'p1',
      hall: 'north',
      label: 'N 17',
      takenFrom: '2026-05-01T08:00:00Z',
      takenUntil: null,
      contents: null,
    },
  },
});

export type Locker = RecordOf<typeof locker>;
