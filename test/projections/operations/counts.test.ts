import { afterAll, expect, test } from 'vitest';
import { beginningOf } from '../../../src/domain/kernel/ids.ts';
import { readCounts } from '../../../src/projections/operations/counts.ts';
import { testReadModels } from '../../support/log/read-models.ts';

const side = await testReadModels();
afterAll(() => side.close());

test('PG-06: each number of operators has its trend where ids say when: the last seven days, and the seven before', async () => {
  const now = Date.parse('2026-05-31T12:00:00Z');
  for (const days of [0, 1, 6, 8, 13, 15])
    await side.pool.query(
      `insert into publishers (publisher_id, name, words, created_at) values ($1, 'P', '{p}', 0)`,
      [`${beginningOf(now - days * 86_400_000)}${'0'.repeat(16)}`],
    );
  for (const status of ['enabled', 'deleted'])
    await side.pool.query(
      `insert into signal_streams (stream_id, addon_id, method, status, events_requested) values ($1, 'a', 'poll', $1, '{}')`,
      [status],
    );
  const counts = await readCounts(side.reader, () => now)();
  expect(counts['publishers']).toEqual({ count: 6, isMore: false, lately: 3, before: 2 });
  expect(counts['grants']).toEqual({ count: 0, isMore: false, lately: 0, before: 0 });
  expect(counts['signals']).toEqual({ count: 1, isMore: false, lately: null, before: null }); // no id says when
});
