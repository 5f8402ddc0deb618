import { describe, expect, test } from 'vitest';
import { parseMessage } from '../../../src/kafka/ingest/parse-message.ts';
import { someIds } from '../../support/record-ids.ts';
import { profileRecord, reservationRecord } from '../../support/documents/record-schemas.ts';

const keyAllowed =
  'must be <organization_id>.<id> where the value is null; an id is 1 to 128 characters out of A–Z a–z 0–9 . _ ~ : @ + / = -';
const organization = '01J9Z3N8Q4T6V8X0Y2A4C6E8G0';
const profile = {
  id: 'p_1',
  version: 3,
  organization_id: organization,
  name: 'Ada',
  email: 'ada@example.com',
};

const message = (value: unknown) => ({
  key: null,
  value: value === null || Buffer.isBuffer(value) ? value : bytes(value),
  headers: [],
});
const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

const problemsOf = (value: unknown) => {
  const parsed = parseMessage(profileRecord, message(value));
  return parsed.ok ? [] : parsed.problems;
};
const fieldsOf = (value: unknown) => problemsOf(value).map(({ field }) => field);

const tombstone = (key: string | null, ...versions: readonly string[]) => ({
  key: key === null ? null : Buffer.from(key),
  value: null,
  headers: versions.map((version) => ['version', Buffer.from(version)] as const),
});
const read = (given: ReturnType<typeof tombstone>) => parseMessage(profileRecord, given);

describe('a message of the host platform (LI-08)', () => {
  test('is a line of the import that names its organization', () => {
    expect(parseMessage(profileRecord, message(profile))).toMatchObject({
      ok: true,
      value: { organizationId: organization, id: 'p_1', version: 3, record: { name: 'Ada', phone: null } },
    });
  });

  test('with deleted true, or as a tombstone, removes the record', () => {
    const removal = { organizationId: organization, id: 'p_1', version: 4, record: null };
    const { id, organization_id } = profile;
    const deleted = parseMessage(
      reservationRecord,
      message({ id, organization_id, version: 4, deleted: true }),
    );
    expect(deleted).toEqual({ ok: true, value: removal });
    expect(read(tombstone(`${organization}.p_1`, '4'))).toEqual({ ok: true, value: removal });
  });

  test.each([
    null,
    '',
    organization,
    `${organization}.`,
    `.p_1`,
    `${organization}.p 1`,
    `${organization}.p%2F1`,
    `${organization}.${'x'.repeat(129)}`,
    `a-b.p_1`,
  ])('as a tombstone is refused with the key %j', (key) => {
    const parsed = read(tombstone(key, '4'));
    expect(parsed).toMatchObject({ ok: false, problems: [{ field: 'key', message: keyAllowed }] });
  });

  test('AP-04: as a tombstone has in its key, after the first dot, the id', () => {
    for (const id of someIds)
      expect(read(tombstone(`${organization}.${id}`, '4'))).toMatchObject({
        ok: true,
        value: { organizationId: organization, id },
      });
  });

  test.each([
    [[]],
    [['4', '5']],
    [['4', '4']],
    [['']],
    [['0']],
    [['-1']],
    [['4.0']],
    [['1e3']],
    [['9007199254740993']],
  ])('as a tombstone is refused with the versions %j in its headers', (versions) => {
    const parsed = read(tombstone(`${organization}.p_1`, ...versions));
    expect(parsed).toMatchObject({ ok: false, problems: [{ field: 'header version' }] });
  });

  test('names every field that is wrong, the organization too, and repeats nothing of what was sent', () => {
    const problems = problemsOf({
      ...profile,
      organization_id: 'very-private',
      email: 'very-private',
      colour: 1,
    });
    expect(new Set(problems.map(({ field }) => field))).toEqual(
      new Set(['colour', 'email', 'organization_id']),
    );
    expect(JSON.stringify(problems)).not.toContain('very-private');
    const { organization_id: _left, ...rest } = profile;
    expect(problemsOf(rest)).toEqual([{ field: 'organization_id', message: 'is missing' }]);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'with the unknown field %s is refused by its name',
    (field) => {
      expect(fieldsOf(JSON.stringify(profile).replace('{', `{"${field}":{"name":"x"},`))).toEqual([field]);
    },
  );

  test('that hides its fields behind __proto__ has none', () => {
    expect(fieldsOf(`{"__proto__":${JSON.stringify(profile)}}`)).toContain('organization_id');
  });

  test('of two values of a key has the last, as JSON.parse says', () => {
    const twice = JSON.stringify(profile).replace('{', '{"id":"p_0",');
    expect(parseMessage(profileRecord, message(twice))).toMatchObject({ value: { id: 'p_1' } });
  });

  test('may begin with a byte order mark', () => {
    expect(problemsOf(`\uFEFF${JSON.stringify(profile)}`)).toEqual([]);
  });

  test.each([
    ['', 'is not JSON'],
    ['{', 'is not JSON'],
    ['{"id": NaN}', 'is not JSON'],
    ['null', 'must be a JSON object'],
    ['[]', 'must be a JSON object'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'is not valid UTF-8'],
    [Buffer.from('\uFEFF{}', 'utf16le'), 'is not valid UTF-8'],
    ['x'.repeat(256 * 1024 + 1), 'is longer than 256 KiB'],
    ['['.repeat(256 * 1024), 'is not JSON'],
    ['['.repeat(128 * 1024) + ']'.repeat(128 * 1024), 'must be a JSON object'],
  ])('that cannot be read is refused as a whole (%#)', (value, says) => {
    expect(problemsOf(value)).toEqual([{ field: null, message: `the value ${says}` }]);
  });

  test('may be as deep as it is long: nothing breaks by it', () => {
    const deep = (open: string, close: string) => open.repeat(20_000) + '1' + close.repeat(20_000);
    for (const nest of [deep('[', ']'), deep('{"name":', '}')])
      expect(fieldsOf(JSON.stringify(profile).replace('"Ada"', nest))).toEqual(['name']);
  });

  test('cannot have a version that JSON does not keep', () => {
    for (const version of ['9007199254740993', '1e400', '1.5', '-0', '"3"', 'true'])
      expect(fieldsOf(JSON.stringify(profile).replace(':3,', `:${version},`))).toEqual(['version']);
  });
});
