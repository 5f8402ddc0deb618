import { afterAll, afterEach, describe, expect, test } from 'vitest';
import {
  activationSubject,
  grantSubject,
  organizationSubject,
  type Guarded,
} from '../../../src/domain/fence/fence.ts';
import type { GrantSubject } from '../../../src/domain/access/grant.ts';
import type { ListReader } from '../../../src/projections/read-models.ts';
import { testReadModels } from '../../support/log/read-models.ts';
import { projectAll, scriptedLog } from '../../support/log/test-projector.ts';
import {
  accessRight,
  activated,
  deactivated,
  ofOrganization,
  plain,
  switched,
  withdrawn,
  profile,
  reservation,
  tell,
  type Told,
} from '../follow/a-story.ts';

const side = await testReadModels();
afterEach(() => side.clear());
afterAll(() => side.close());

const given = async (...story: readonly Told[]) => {
  const log = scriptedLog();
  tell(log, ...story);
  await projectAll(side.database.url, log);
  return log;
};
const guardedBy = (subject: GrantSubject): Guarded => ({
  grantId: 'G1',
  addonId: 'A1',
  userId: 'U1',
  rotation: 0,
  subject,
});
const organization = guardedBy(ofOrganization());
const user = (userId = 'U1', epoch = 0) => guardedBy({ kind: 'user', userId, epoch });

const byPage = (page = 1) => ({ by: 'page', page }) as const;
const idsOf = async (reader: ListReader<object>, guarded: Guarded, page = 1, perPage = 100) => {
  const answer = await reader.page({ guarded, place: byPage(page), perPage });
  return answer.refused ?? (answer.unchanged || answer.items.map(({ id }) => id));
};

describe('an organization token', () => {
  test('sees the records of its organization only, oldest first, whatever changed since (LI-09)', async () => {
    await given(
      activated(1),
      profile('P2'),
      profile('P1'),
      profile('P9', 1, null, 'O2'),
      profile('P3'),
      profile('P2', 2),
    );
    expect(await idsOf(side.readModels.profiles, organization)).toEqual(['P2', 'P1', 'P3']);
  });

  test('gets the fields of the record as they are now, with the time of its first and of its last event', async () => {
    const log = await given(activated(1), profile('P1'), profile('P1', 2, 'U7'));
    const answer = await side.readModels.profiles.page({
      guarded: organization,
      place: byPage(),
      perPage: 10,
    });
    expect(answer).toMatchObject({
      refused: null,
      unchanged: false,
      totalItems: 1,
      items: [
        {
          id: 'P1',
          version: 2,
          name: 'Name P1 v2',
          email: 'P1@example.org',
          userId: 'U7',
          phone: null,
          locale: null,
          externalId: null,
          createdAt: new Date(log.events[1]?.created ?? 0).toISOString(),
          updatedAt: new Date(log.events[2]?.created ?? 0).toISOString(),
        },
      ],
    });
  });
});

describe('a user token', () => {
  test('sees what belongs to the profiles of that user, organization after organization (LI-09)', async () => {
    await given(
      profile('P1', 1, 'U1'),
      profile('P1', 1, 'U2', 'O2'),
      profile('P7', 1, 'U1', 'O3'),
      reservation('R1', 'P1'),
      reservation('R2', 'P1', 1, 'O2'),
      reservation('R3', 'P7', 1, 'O3'),
      accessRight('X1', 'P1', 1, 'O2'),
    );
    const { profiles, reservations, accessRights } = side.readModels;
    expect(await idsOf(profiles, user())).toEqual(['P1', 'P7']);
    expect(await idsOf(reservations, user())).toEqual(['R1', 'R3']);
    expect(await idsOf(accessRights, user())).toEqual([]);
    expect(await idsOf(accessRights, user('U2'))).toEqual(['X1']);
    const page = { guarded: user(), place: byPage(), perPage: 1 };
    expect(await reservations.page(page)).toMatchObject({ totalItems: 2, items: [{ id: 'R1' }] });
  });

  test('loses the records of an organization that deactivates the add-on, and theirs only (DE-01, P1)', async () => {
    await given(
      activated(1),
      activated(1, 'O2'),
      profile('P1', 1, 'U1'),
      profile('P2', 1, 'U1', 'O2'),
      profile('P3', 1, 'U1', 'O3'),
      ...['O1', 'O2', 'O3'].flatMap((id, i) => [
        reservation(`R${i + 1}`, `P${i + 1}`, 1, id),
        accessRight(`X${i + 1}`, `P${i + 1}`, 1, id),
      ]),
    );
    const { profiles, reservations, accessRights } = side.readModels;
    const all = async (guarded: Guarded) => ({
      profiles: await idsOf(profiles, guarded),
      reservations: await idsOf(reservations, guarded),
      accessRights: await idsOf(accessRights, guarded),
      total: await profiles.page({ guarded, place: byPage(), perPage: 1 }),
    });
    const everything = {
      profiles: ['P1', 'P2', 'P3'],
      reservations: ['R1', 'R2', 'R3'],
      accessRights: ['X1', 'X2', 'X3'],
      total: { totalItems: 3 },
    };
    expect(await all(user())).toMatchObject(everything);
    await side.fence.write([{ subject: activationSubject('O1', 'A1'), revision: 1n, epoch: 1, open: false }]);
    expect(await all(user())).toMatchObject({
      profiles: ['P2', 'P3'],
      reservations: ['R2', 'R3'],
      accessRights: ['X2', 'X3'],
      total: { totalItems: 2 },
    });
    expect(await all({ ...user(), addonId: 'A2' })).toMatchObject(everything);
    await side.fence.write([{ subject: activationSubject('O1', 'A1'), revision: 2n, epoch: 2, open: true }]);
    expect(await all(user())).toMatchObject(everything);
    // FX-50: O3 never activated the add-on, O1 has: only what a deactivation would hide is hidden by a closing.
    for (const id of ['O1', 'O3'])
      await side.fence.write([{ subject: organizationSubject(id), revision: 9n, epoch: 0, open: false }]);
    expect(await all(user())).toMatchObject({ profiles: ['P2', 'P3'], total: { totalItems: 2 } });
  });
});

describe('the fence is judged with the page (RS-02)', () => {
  test.each([
    { why: 'never activated', story: [profile('P1')], refused: 'addon-deactivated' },
    { why: 'deactivated', story: [activated(1), deactivated(1)], refused: 'addon-deactivated' },
    {
      why: 'activated again since (DE-05)',
      story: [activated(1), deactivated(1), activated(2)],
      refused: 'addon-deactivated',
    },
    {
      why: 'suspended (SU-01)',
      story: [activated(1), plain('addon-A1', 'AddonSuspended')],
      refused: 'addon-suspended',
    },
  ])('an organization token is refused: $why', async ({ story, refused }) => {
    await given(...story);
    const request = { guarded: organization, place: byPage(), perPage: 5 };
    expect(await side.readModels.profiles.page(request)).toEqual({ refused });
  });

  test('the very next page after a fence write is refused, with no projector running', async () => {
    await given(activated(1), profile('P1', 1, 'U1'));
    const { profiles } = side.readModels;
    expect(await idsOf(profiles, organization)).toEqual(['P1']);
    await side.fence.write([{ subject: grantSubject('G1'), revision: 4n, epoch: 0, open: false }]);
    expect(await idsOf(profiles, organization)).toBe('token-revoked');
    expect(await idsOf(profiles, user())).toBe('token-revoked');
    expect(await side.readModels.judge(user())).toBe('token-revoked');
    expect(await side.readModels.judge({ ...user(), grantId: 'G2' })).toBe(null);
    await side.fence.write([{ subject: activationSubject('O1', 'A1'), revision: 1n, epoch: 1, open: false }]);
    expect(await idsOf(profiles, organization)).toBe('addon-deactivated');
  });

  test('RT-17: a disabled account refuses the user token, also after it was enabled', async () => {
    const log = await given(profile('P1', 1, 'U1'), switched('U1', 'AccountDisabled'));
    expect(await idsOf(side.readModels.profiles, user())).toBe('account-disabled');
    tell(log, switched('U1', 'AccountEnabled'));
    await projectAll(side.database.url, log);
    expect(await idsOf(side.readModels.profiles, user())).toBe('consent-withdrawn');
    expect(await idsOf(side.readModels.profiles, user('U1', 1))).toEqual(['P1']);
  });

  test("a consent withdrawn refuses the user's tokens of before, and nobody else's", async () => {
    const records = [profile('P1', 1, 'U1'), profile('P2', 1, 'U2'), activated(1)];
    await given(...records, withdrawn('U1', 'U1'), withdrawn('O1', 'U2'));
    expect(await idsOf(side.readModels.profiles, user())).toBe('consent-withdrawn');
    expect(await idsOf(side.readModels.profiles, user('U1', 1))).toEqual(['P1']);
    expect(await idsOf(side.readModels.profiles, user('U2'))).toEqual(['P2']);
    expect(await idsOf(side.readModels.profiles, organization)).toEqual(['P1', 'P2']);
  });
});
