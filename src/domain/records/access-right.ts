import { describeRecord, type RecordEventOf, type RecordOf } from './record-resource.ts';

export const accessRight = describeRecord({
  name: 'AccessRight',
  key: 'accessRights',
  category: 'accessRight',
  table: 'access_rights',
  path: 'access-rights',
  scope: 'access-rights:read',
  scopeCode: 4,
  topic: 'host.access-rights',
  message: 'access-right',
  readsNumber: 1,
  words: {
    one: 'access right',
    many: 'access rights',
    description: 'What a profile may open, and when.',
  },
  owner: { is: 'profile', field: 'profileId' },
  fields: {
    profileId: { kind: 'record-id', description: 'Who may open it.' },
    opens: { kind: 'text', maxLength: 200, description: 'What it opens.', shown: 'Main gate' },
    validFrom: { kind: 'time' },
    validUntil: { kind: 'time', optional: true, description: '`null`: without end.' },
    status: { kind: 'one-of', values: ['active', 'suspended', 'revoked'] },
    reservationId: {
      kind: 'record-id',
      optional: true,
      description: 'The reservation that it comes from.',
    },
  },
  later: { field: 'validUntil', than: 'validFrom' },
  example: {
    id: 'a1',
    record: {
      profileId: 'p1',
      opens: 'Main gate',
      validFrom: '2026-05-01T08:00:00Z',
      validUntil: null,
      status: 'active',
      reservationId: 'r1',
    },
  },
});

export type AccessRight = RecordOf<typeof accessRight>;
export type AccessRightEvent = RecordEventOf<typeof accessRight>;
