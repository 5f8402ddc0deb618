import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AccessRight,
  accessRight,
  type AccessRightEvent,
} from '../../../src/domain/records/access-right.ts';
import { type ProfileEvent, profile as profileResource } from '../../../src/domain/records/profile.ts';
import { deciderOf, recordIn } from '../../../src/domain/records/record-resource.ts';
import type { RecordState } from '../../../src/domain/records/record.ts';
import { scenariosOf } from '../../support/memory/given.ts';
import { profileOf, rightOf } from '../../support/scenes/profile.ts';

const key = { organizationId: 'org', id: 'right_1' };
const right = rightOf('person_1');
const suspended: AccessRight = { ...right, status: 'suspended' };

const recorded = (version: number, record: AccessRight, at = 0): AccessRightEvent => ({
  type: 'AccessRightRecorded',
  data: { ...record, ...key, version, at },
});
const removed = (version: number, at = 0): AccessRightEvent => ({
  type: 'AccessRightRemoved',
  data: { ...key, version, at },
});
const recording =
  (version: number, record: AccessRight | null, now = 0) =>
  (known: RecordState<AccessRight>) =>
    recordIn(accessRight)(known, { ...key, version, record, now });

const given = scenariosOf(deciderOf(accessRight));

describe('LI-08: a record of the host platform', () => {
  test('is recorded when it is new, with the time it came', () => {
    given()
      .when(recording(3, right, 99))
      .accepted(recorded(3, right, 99));
  });

  test('is recorded again in a newer version, even with the same content', () => {
    given(recorded(1, right)).when(recording(2, suspended)).accepted(recorded(2, suspended));
    given(recorded(1, right)).when(recording(4, right)).accepted(recorded(4, right));
  });

  test('in the same version with the same content changes nothing', () => {
    given(recorded(2, right))
      .when(recording(2, { ...right }))
      .accepted();
  });

  test('in the same version with other content is the conflict of the host', () => {
    given(recorded(2, right)).when(recording(2, suspended)).refused('version-conflict');
  });

  test.each(Object.keys(right))('in the same version with another %s is a conflict, too', (field) => {
    given(recorded(2, right))
      .when(recording(2, { ...right, [field]: 'other' }))
      .refused('version-conflict');
  });

  test('in an older version is refused', () => {
    given(recorded(1, right), recorded(2, suspended)).when(recording(1, right)).refused('older-version');
  });

  test('is removed by a newer version, and the same removal again changes nothing', () => {
    given(recorded(1, right)).when(recording(2, null)).accepted(removed(2));
    given(recorded(1, right), removed(2)).when(recording(2, null)).accepted();
  });

  test('and its removal under one version are a conflict', () => {
    given(recorded(2, right)).when(recording(2, null)).refused('version-conflict');
    given(recorded(1, right), removed(2)).when(recording(2, right)).refused('version-conflict');
  });

  test('comes back after its removal only in a newer version', () => {
    given(recorded(1, right), removed(2)).when(recording(1, right)).refused('older-version');
    given(recorded(1, right), removed(2)).when(recording(3, right)).accepted(recorded(3, right));
  });

  test('that was removed before it was seen stays away when its older version comes late', () => {
    given().when(recording(2, null)).accepted(removed(2));
    given(removed(2)).when(recording(1, right)).refused('older-version');
  });
});

test('a profile that is erased is removed and never comes back', () => {
  const profile = profileOf('Ada', { email: 'ada@example.com', locale: 'en', externalId: 'M-1' });
  const added: ProfileEvent = { type: 'ProfileRecorded', data: { ...profile, ...key, version: 1, at: 5 } };
  const gone: ProfileEvent = { type: 'ProfileRemoved', data: { ...key, version: 2, at: 5 } };
  const erased: ProfileEvent = { type: 'ProfileErased', data: { ...key, version: 1, at: 6 } };
  const profiles = scenariosOf(deciderOf(profileResource));
  expect(profiles(added).state).toEqual({ status: 'present', version: 1, record: profile });
  expect(profiles(added, erased).state).toEqual({ status: 'erased', version: 1, removed: false });
  profiles(added, erased)
    .when((known) => recordIn(profileResource)(known, { ...key, version: 2, record: profile, now: 7 }))
    .refused('record-erased');
  expect(profiles(added, erased, gone).state).toEqual({ status: 'erased', version: 2, removed: true });
});

describe('for any sequence of versions', () => {
  const content = fc.constantFrom(right, suspended, { ...right, opens: 'Garage' }, null);
  const message = fc.record({ version: fc.integer({ min: 1, max: 6 }), record: content });

  const deliver = (messages: readonly { version: number; record: AccessRight | null }[]) => {
    const events: AccessRightEvent[] = [];
    const refusals = messages.map(({ version, record }) => {
      const decision = recording(version, record)(given(...events).state);
      events.push(...decision.events);
      return decision.refusal;
    });
    return { events, refusals, state: given(...events).state };
  };

  test('the stored versions only grow, and the last stored is the newest that was recorded', () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 12 }), (messages) => {
        const versions = deliver(messages).events.map(({ data }) => data.version);
        expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
        expect(versions.at(-1)).toBe(Math.max(...messages.map(({ version }) => version)));
      }),
    );
  });

  test('with one content a version, any order and any repetition end in the same state', () => {
    const history = fc
      .uniqueArray(message, { selector: ({ version }) => version, minLength: 1 })
      .chain((truth) =>
        fc.record({
          truth: fc.constant(truth),
          told: fc.shuffledSubarray([...truth, ...truth, ...truth], { minLength: truth.length * 3 }),
        }),
      );
    fc.assert(
      fc.property(history, ({ truth, told }) => {
        const inOrder = [...truth].sort((a, b) => a.version - b.version);
        expect(deliver(told).state).toEqual(deliver(inOrder).state);
        expect(deliver(told).refusals).not.toContain('version-conflict');
      }),
    );
  });
});
