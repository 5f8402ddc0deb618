import { expect, onTestFinished, test } from 'vitest';
import { readGrantOwners } from '../../src/projections/access/grant-owners.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { projectAll, scriptedLog } from '../support/log/test-projector.ts';
import { issued, ofOrganization, revoked, tell } from './follow/a-story.ts';

test('DA-06, FX-42: whose grants are, and how far they have come, is known by their ids, ended ones too; those that are not known are left out', async () => {
  const side = await testReadModels();
  onTestFinished(() => side.close());
  const log = scriptedLog();
  const own = { kind: 'user', userId: 'U1', epoch: 4 } as const;
  const terms = [issued('G1', ofOrganization(3)), issued('G2', own, 'A2'), issued('G3')];
  tell(log, ...terms, revoked('G1'));
  await projectAll(side.database.url, log);
  expect(await readGrantOwners(side.reader)(['G1', 'G2', 'G9'])).toEqual(
    new Map([
      ['G1', { addonId: 'A1', subject: ofOrganization(3), status: 'ended', rotation: 0 }],
      ['G2', { addonId: 'A2', subject: own, status: 'issued', rotation: 0 }],
    ]),
  );
});
