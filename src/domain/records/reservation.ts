import { describeRecord } from './record-resource.ts';

export const reservation = describeRecord({
  name: 'Reservation',
  key: 'reservations',
  category: 'reservation',
  table: 'reservations',
  path: 'reservations',
  scope: 'reservations:read',
  scopeCode: 3,
  topic: 'host.reservations',
  message: 'reservation',
  readsNumber: 3,
  words: {
    one: 'reservation',
    many: 'reservations',
    description: 'A booking of something for a time.',
  },
  owner: { is: 'profile', field: 'profileId' },
  fields: {
    profileId: { kind: 'record-id', description: 'Who has booked.' },
    resource: { kind: 'text', maxLength: 200, description: 'What is booked.', shown: 'Berth 7' },
    startsAt: { kind: 'time' },
    endsAt: { kind: 'time', description: 'After `starts_at`.' },
    status: { kind: 'one-of', values: ['requested', 'confirmed', 'cancelled'] },
    title: { kind: 'text', maxLength: 500, optional: true, personal: true },
    note: { kind: 'text', maxLength: 10_000, optional: true, personal: true },
  },
  later: { field: 'endsAt', than: 'startsAt' },
  example: {
    id: 'r1',
    record: {
      profileId: 'p1',
      resource: 'Berth 7',
      startsAt: '2026-05-01T08:00:00Z',
      endsAt: '2026-05-02T08:00:00Z',
      status: 'confirmed',
      title: null,
      note: 'Arrives late',
    },
  },
});
