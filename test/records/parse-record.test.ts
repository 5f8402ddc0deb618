import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRecord } from '../../src/kafka/records/parse-record.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { anyId, noId } from '../support/record-ids.ts';
import { accessRightRecord, profileRecord, reservationRecord } from '../support/documents/record-schemas.ts';
import { profileOf } from '../support/scenes/profile.ts';

const profile = { id: 'p_1', version: 3, name: 'Ada', email: 'ada@example.com' };
const reservation = {
  id: 'r1',
  version: 1,
  profile_id: 'p_1',
  resource: 'Room 4',
  starts_at: '2026-05-01T09:00:00Z',
  ends_at: '2026-05-01T10:30:00Z',
  status: 'confirmed',
};
const accessRight = {
  id: 'a1',
  version: 1,
  profile_id: 'p_1',
  opens: 'North door',
  valid_from: '2026-05-01T00:00:00Z',
  valid_until: null,
  status: 'active',
};

const parse = (schema: Parameters<typeof parseRecord>[0], line: unknown) =>
  parseRecord(schema, typeof line === 'string' ? line : JSON.stringify(line));
const problemsOf = (schema: Parameters<typeof parseRecord>[0], line: unknown) => {
  const parsed = parse(schema, line);
  return parsed.ok ? [] : parsed.problems;
};
const fieldsOf = (schema: Parameters<typeof parseRecord>[0], line: unknown) =>
  problemsOf(schema, line).map(({ field }) => field);

describe('a line of an import (LI-08)', () => {
  test('becomes a profile; optional fields that are absent are null', () => {
    expect(parse(profileRecord, profile)).toEqual({
      ok: true,
      value: {
        id: 'p_1',
        version: 3,
        record: profileOf('Ada', { email: 'ada@example.com' }),
      },
    });
  });

  test('becomes a reservation whose times are UTC, whatever offset they came in', () => {
    const line = {
      ...reservation,
      starts_at: '2026-05-01t11:00:00+02:00',
      ends_at: '2026-05-01T05:00:00.250-05:30',
    };
    expect(parse(reservationRecord, line)).toMatchObject({
      ok: true,
      value: {
        record: { startsAt: '2026-05-01T09:00:00Z', endsAt: '2026-05-01T10:30:00.250Z', title: null },
      },
    });
  });

  test('becomes an access right, with an end or without', () => {
    expect(parse(accessRightRecord, accessRight)).toMatchObject({
      ok: true,
      value: { record: { opens: 'North door', validUntil: null, reservationId: null } },
    });
    expect(parse(accessRightRecord, { ...accessRight, valid_until: '2026-05-02T00:00:00Z' }).ok).toBe(true);
  });

  test('with deleted true removes the record and needs nothing but id and version', () => {
    const removal = { id: 'p_1', version: 4, deleted: true };
    expect(parse(profileRecord, removal)).toEqual({
      ok: true,
      value: { id: 'p_1', version: 4, record: null },
    });
    expect(fieldsOf(profileRecord, { deleted: true })).toEqual(['id', 'version']);
  });

  test('says every field that is wrong, at once', () => {
    expect(fieldsOf(profileRecord, { id: 'p 1', version: 0, name: '', email: 'ada' })).toEqual([
      'id',
      'version',
      'name',
      'email',
    ]);
    expect(problemsOf(profileRecord, {})).toEqual(
      ['id', 'version', 'name', 'email'].map((field) => ({ field, message: 'is missing' })),
    );
  });

  test.each(['colour', '__proto__', 'constructor', 'created_at', 'organization_id'])(
    'with the unknown field %s is refused by its name instead of losing it',
    (field) => {
      const line = JSON.stringify(profile).replace('{', `{"${field}":1,`);
      expect(problemsOf(profileRecord, line)).toEqual([{ field, message: 'is not a field of this record' }]);
    },
  );

  test.each([
    ['', 'the line is not JSON'],
    ['{', 'the line is not JSON'],
    ['null', 'the line must be a JSON object'],
    ['[]', 'the line must be a JSON object'],
    ['"text"', 'the line must be a JSON object'],
  ])('that is %j is refused as a whole', (line, message) => {
    expect(problemsOf(profileRecord, line)).toEqual([{ field: null, message }]);
  });

  test('gives a terminal no orders by the names of its fields', () => {
    const named = '\u001b]0;owned\u0007\u009b2J\u202e\u2028\ud800';
    expect(fieldsOf(profileRecord, { ...profile, [named]: 1 })).toEqual(['?]0;owned??2J???']);
  });

  test.each([
    ['id', ['', 'a b', 'ä', 'x'.repeat(129), 7, null]],
    ['version', [0, -1, 1.5, '1', 2 ** 53, null, true]],
    ['name', ['', '   ', 'x'.repeat(201), 'a\u0000b', '\ud800', 5, null]],
    ['email', ['', 'ada', 'a b@c', `${'x'.repeat(251)}@b.c`, null]],
    ['user_id', ['', 'a-b', 'x'.repeat(65), 5]],
    ['phone', ['', 'x'.repeat(41)]],
    ['locale', ['e', 'de_AT', 'de-']],
    ['deleted', ['true', null, 1]],
  ])('is refused for a wrong %s', (field, values) => {
    for (const value of values)
      expect(fieldsOf(profileRecord, { ...profile, [field]: value })).toContain(field);
  });

  test('AP-04: takes every id of the alphabet as it is, of the record and of those that it names', () => {
    fc.assert(
      fc.property(anyId, anyId, anyId, (id, profile_id, reservation_id) => {
        expect(parse(accessRightRecord, { ...accessRight, id, profile_id, reservation_id })).toMatchObject({
          ok: true,
          value: { id, record: { profileId: profile_id, reservationId: reservation_id } },
        });
      }),
      propertyRuns(300),
    );
  });

  test('AP-04: is refused for any other id, which is named with what is allowed', () => {
    fc.assert(
      fc.property(noId, fc.constantFrom('id', 'profile_id', 'reservation_id'), (value, field) => {
        expect(problemsOf(accessRightRecord, { ...accessRight, [field]: value })).toEqual([
          {
            field,
            message: 'must be a string of 1 to 128 characters out of A–Z a–z 0–9 . _ ~ : @ + / = -',
          },
        ]);
      }),
      propertyRuns(300),
    );
  });

  test.each([
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-05-01T24:00:00Z',
    '2026-05-01T09:60:00Z',
    '2026-05-01T09:00:00',
    '2026-05-01',
    '2026-05-01 09:00:00Z',
    '26-05-01T09:00:00Z',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-01:00',
    '',
    1777626000,
  ])('is refused for the time %j', (starts_at) => {
    expect(fieldsOf(reservationRecord, { ...reservation, starts_at })).toEqual(['starts_at']);
  });

  test('keeps 29 February of a leap year', () => {
    const line = { ...reservation, starts_at: '2024-02-29T23:59:59Z' };
    expect(parse(reservationRecord, line)).toMatchObject({
      value: { record: { startsAt: '2024-02-29T23:59:59Z' } },
    });
  });

  test('is refused when it ends before it starts, by instant and not by text', () => {
    expect(fieldsOf(reservationRecord, { ...reservation, ends_at: '2026-05-01T10:59:00+02:00' })).toEqual([
      'ends_at',
    ]);
    expect(fieldsOf(reservationRecord, { ...reservation, ends_at: reservation.starts_at })).toEqual([
      'ends_at',
    ]);
    expect(fieldsOf(accessRightRecord, { ...accessRight, valid_until: '2026-04-30T00:00:00Z' })).toEqual([
      'valid_until',
    ]);
  });

  test('is refused for a status that does not exist, and says which do', () => {
    expect(problemsOf(accessRightRecord, { ...accessRight, status: 'Active' })).toEqual([
      { field: 'status', message: 'must be one of active, suspended, revoked' },
    ]);
  });

  test('never repeats what was sent in its errors', () => {
    const secret = 'very-private-value';
    const shown = JSON.stringify(
      problemsOf(profileRecord, { ...profile, email: secret, phone: secret.repeat(9) }),
    );
    expect(shown).not.toContain(secret);
  });
});
