import { expect, test } from 'vitest';
import { makeEraseProfile } from '../../../src/commands/records/erase-profile.ts';
import { makeRecord } from '../../../src/commands/records/record.ts';
import { profilePerson } from '../../../src/domain/personal-data.ts';
import { profile as resource } from '../../../src/domain/records/profile.ts';
import { memoryPersons } from '../../support/memory/memory-persons.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { refusalOf, valueOf } from '../../support/outcomes.ts';
import { profileOf } from '../../support/scenes/profile.ts';

const profile = profileOf('Ada', { email: 'ada@example.com', locale: 'en', externalId: 'M-1' });
const key = { organizationId: '01JZZZZZZZZZZZZZZZZZZZZZZR', id: 'member_1' };

const setUp = async () => {
  const persons = memoryPersons();
  const store = memoryStore();
  const record = makeRecord({ store, now: () => 1 }, resource);
  valueOf(await record({ ...key, version: 1, record: profile }));
  return { ...persons, record, erase: makeEraseProfile({ store, now: () => 2, persons }) };
};

test('an erased profile accepts no newer version; its key is deleted, also when the call comes again', async () => {
  const { destroyed, record, erase } = await setUp();
  expect(valueOf(await erase(key))).toMatchObject({ repeated: false });
  expect(refusalOf(await record({ ...key, version: 2, record: profile }))).toBe('record-erased');
  expect(valueOf(await erase(key))).toMatchObject({ repeated: true });
  const person = profilePerson(key.organizationId, key.id);
  expect(destroyed).toEqual([person, person]);
});

test.each([
  ['of another organization', { ...key, organizationId: '01JZZZZZZZZZZZZZZZZZZZZZZS' }],
  ['that nobody has recorded', { ...key, id: 'member_2' }],
  ['of no organization', { ...key, organizationId: 'org' }],
  ['with an id that no profile can have', { ...key, id: 'a b' }],
])('a profile %s is unknown, and no key is deleted', async (_which, unknown) => {
  const { destroyed, erase } = await setUp();
  expect(refusalOf(await erase(unknown))).toBe('profile-unknown');
  expect(destroyed).toEqual([]);
});
