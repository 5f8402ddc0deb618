import { describe, expect, test } from 'vitest';
import {
  categoryOf,
  idOf,
  idsOf,
  isOfCategory,
  prefixOf,
  splitId,
} from '../../../src/domain/kernel/stream-name.ts';
import { accessRight } from '../../../src/domain/records/access-right.ts';
import { activationStream, projectionStream, recordStream } from '../../../src/domain/streams.ts';

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

  test('belongs to one category', () => {
    expect(isOfCategory(recordStream(accessRight, 'org', 'id'), 'accessRight')).toBe(true);
    expect(isOfCategory(recordStream(accessRight, 'org', 'id'), 'access')).toBe(false);
    expect(recordStream(accessRight, 'org', 'id').startsWith(prefixOf('accessRight'))).toBe(true);
  });
});
