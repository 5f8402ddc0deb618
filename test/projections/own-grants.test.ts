import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { GrantSubject } from '../../src/domain/grant.ts';
import { readOwnGrants } from '../../src/projections/own-grants.ts';
import { testReadModels, type TestReadModels } from '../support/read-models.ts';
import { positionOf, projectAll, scriptedLog } from '../support/test-projector.ts';
import { activated, issued, redeemed, revoked, switched, tell, withdrawn } from './a-story.ts';

let side: TestReadModels;
beforeAll(async () => {
  side = await testReadModels();
});
afterEach(() => side.clear());
afterAll(() => side.close());

const own: GrantSubject = { kind: 'user', userId: 'U1', epoch: 0 };

test("what a withdrawal ends are the user's own grants of that add-on whose code came before it", async () => {
  const log = scriptedLog();
  const told = tell(
    log,
    activated(1),
    issued('G1', own),
    redeemed('G1'),
    issued('G2'),
    issued('G3', own, 'A2'),
    issued('G4', own),
    revoked('G4'),
    withdrawn('U1', 'U1'),
    issued('G5', { ...own, epoch: 1 }),
    switched('U1', 'AccountDisabled'),
    issued('G6', { ...own, epoch: 2 }),
  );
  await projectAll(side.database.url, log);
  const ownGrants = readOwnGrants(side.lane, side.progress);
  const idsAt = async (index: number, addonId: string | null, userId = 'U1') => {
    const upTo = told[index]?.position ?? positionOf(0);
    return (await ownGrants({ userId, addonId, upTo })).map(({ grantId }) => grantId);
  };
  expect(await idsAt(7, 'A1')).toEqual(['G1']);
  expect(await idsAt(7, 'A2')).toEqual(['G3']);
  expect(await idsAt(9, null)).toEqual(['G1', 'G3', 'G5']);
  expect(await idsAt(9, null, 'U2')).toEqual([]);
});

test('grants from before there were positions are all of before', async () => {
  const log = scriptedLog();
  tell(log, issued('G1', own));
  await projectAll(side.database.url, log);
  await side.pool.query('update grants set issued_position = null');
  const ownGrants = readOwnGrants(side.lane, side.progress);
  expect(await ownGrants({ userId: 'U1', addonId: 'A1', upTo: positionOf(1) })).toEqual([{ grantId: 'G1' }]);
});
