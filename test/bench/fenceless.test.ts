import { afterAll, expect, test } from 'vitest';
import { fencelessReader, withoutFence } from '../../bench/revocation/fenceless.ts';
import { activationSubject } from '../../src/domain/fence/fence.ts';
import { makeListReader } from '../../src/projections/lists/read/list-reader.ts';
import { testReadModels } from '../support/log/read-models.ts';

const side = await testReadModels();
afterAll(() => side.close());

const guarded = {
  grantId: 'G1',
  addonId: 'A1',
  userId: 'U1',
  subject: { kind: 'organization', organizationId: 'O1', epoch: 1 },
  rotation: 0,
} as const;
const request = { guarded, place: { by: 'page', page: 1 }, perPage: 25 } as const;

test('RS-02: the list that the fence is compared with is the same page, read without the fence', async () => {
  await side.pool.query(
    `insert into access_rights (organization_id, id, ordinal, entered, profile_id, revision, created_at, item, changed)
     values ('O1', 'right_1', 0, 1, 'P1', 0, '2026-01-01', '{"id":"right_1"}', 1)`,
  );
  await side.pool.query(`insert into lists values ('access_rights', 'O1', '', 1, 1, 1)`);
  const subject = activationSubject('O1', 'A1');
  await side.fence.write([{ subject, revision: 1n, epoch: 1, open: true }]);
  const fenceless = makeListReader(fencelessReader(side.reader), 'access_rights');
  expect(await fenceless.page(request)).toEqual(
    await makeListReader(side.reader, 'access_rights').page(request),
  );
  await side.fence.write([{ subject, revision: 2n, epoch: 1, open: false }]);
  expect(await makeListReader(side.reader, 'access_rights').page(request)).toEqual({
    refused: 'addon-deactivated',
  });
  expect(await fenceless.page(request)).toMatchObject({ refused: null, totalItems: 1 });
});

test('a statement that reads the fence in another way is not compared', () => {
  expect(() => withoutFence('select open from fence where subject = any($1)')).toThrow('in another way');
});
