import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  categoryOf,
  idOf,
  idsOf,
  isOfCategory,
  prefixOf,
  splitId,
} from '../../../src/domain/kernel/stream-name.ts';
import { personOfStream, profilePerson, streamOfPerson } from '../../../src/domain/personal-data.ts';
import { accessRight } from '../../../src/domain/records/access-right.ts';
import { isRecordStream } from '../../../src/domain/records/each-record.ts';
import { recordResources } from '../../../src/domain/records/record-resources.ts';
import {
  activationStream,
  profileStream,
  projectionStream,
  recordStream,
} from '../../../src/domain/streams.ts';
import { isStreamName } from '../../../src/eventstore/codec/validate.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { anyId, noId } from '../../support/record-ids.ts';

describe('a stream name', () => {
  test('is split at its first dash', () => {
    const stream = projectionStream('list-reads');
    expect([categoryOf(stream), idOf(stream)]).toEqual(['projection', 'list_reads']);
    expect([categoryOf('grant-a-b'), idOf('grant-a-b')]).toEqual(['grant', 'a-b']);
    expect([categoryOf('grant'), idOf('grant')]).toEqual(['', 'grant']);
  });

  test('has two ids where its id has a dot', () => {
    expect(idsOf(activationStream('org', 'addon'))).toEqual(['org', 'addon']);
    expect(splitId('org.a.b')).toEqual(['org', 'a.b']);
    expect(idsOf('account-user')).toEqual(['', 'user']);
  });

  test('AP-04: of a record is split into what it was made of, so no two records share a stream or a key', () => {
    fc.assert(
      fc.property(fc.constantFrom(...recordResources), anyId, (resource, id) => {
        const stream = recordStream(resource, 'O_1', id);
        expect([categoryOf(stream), ...idsOf(stream)]).toEqual([resource.category, 'O_1', id]);
        expect([isStreamName(stream), isRecordStream(stream)]).toEqual([true, true]);
        expect(personOfStream(profileStream('O_1', id))).toBe(profilePerson('O_1', id));
        expect(streamOfPerson(profilePerson('O_1', id))).toBe(profileStream('O_1', id));
      }),
      propertyRuns(300),
    );
  });

  test('AP-04: of what is no record id is not one of ours', () => {
    for (const stream of [
      'grant-a-b',
      'account-a@b',
      'profile-a',
      'profile-a-b',
      'profile-a-b.c',
      '$$profile-O.a-b',
    ])
      expect([stream, isRecordStream(stream)]).toEqual([stream, false]);
    fc.assert(
      fc.property(noId, (id) => {
        expect(isRecordStream(`profile-O.${id}`)).toBe(false);
      }),
      propertyRuns(300),
    );
  });

  test('belongs to one category', () => {
    expect(isOfCategory(recordStream(accessRight, 'org', 'id'), 'accessRight')).toBe(true);
    expect(isOfCategory(recordStream(accessRight, 'org', 'id'), 'access')).toBe(false);
    expect(recordStream(accessRight, 'org', 'id').startsWith(prefixOf('accessRight'))).toBe(true);
  });
});
