import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Guarded } from '../../../src/domain/fence/fence.ts';
import { oldListRemovals } from '../../../src/projections/lists/write/changes-from.ts';
import type { ChangesOrigin } from '../../../src/projections/read-models.ts';
import { rebuild } from '../../../src/projections/rebuild/rebuild.ts';
import { swap } from '../../../src/projections/rebuild/swap.ts';
import { verify } from '../../../src/projections/rebuild/verify.ts';
import {
  activated,
  profile,
  profileRemoved,
  reservation,
  reservationRemoved,
  type Told,
  told,
} from '../follow/a-story.ts';
import { rebuildScene, type RebuildScene } from '../rebuild/scene.ts';

let scene: RebuildScene;
beforeEach(async () => {
  scene = await rebuildScene();
  await tell(activated(1));
});
afterEach(() => scene.close());

const tell = async (...story: readonly Told[]) => {
  await scene.tell(...story);
  await scene.settle();
};

const grant = { grantId: 'G1', addonId: 'A1', userId: 'U1', rotation: 0 } as const;
const ofOrganization: Guarded = {
  ...grant,
  subject: { kind: 'organization', organizationId: 'O1', epoch: 1 },
};
const ofUser: Guarded = { ...grant, subject: { kind: 'user', userId: 'U1', epoch: 0 } };

/** As the token of a walk that begins now has it. */
const begin = async (guarded = ofOrganization): Promise<ChangesOrigin> => {
  const place = { by: 'page', page: 1 } as const;
  const read = await scene.side.readModels.reservations.page({ guarded, perPage: 10, place });
  if (read.refused !== null || read.unchanged || !read.sync) throw new Error('no page was read');
  return { ...read.sync, issuedAt: Date.now() };
};
/** The changes since, `-` for what is gone; null when they are not known. */
const since = async (origin: ChangesOrigin, guarded = ofOrganization): Promise<readonly string[] | null> => {
  const place = { by: 'page', page: 1 } as const;
  const read = await scene.side.readModels.reservations.changes({ guarded, perPage: 10, origin, place });
  if (read.refused !== null) throw new Error(read.refused);
  return read.isKnown ? read.items.map((item) => ('removedAt' in item ? `-${item.id}` : item.id)) : null;
};
const knownFrom = async () => {
  const { rows } = await scene.side.pool.query<{ position: string }>(
    'select position from list_changes_from',
  );
  return BigInt(rows[0]?.position ?? -1);
};
const differences = async (name: string) => {
  await rebuild(scene.needs, { name });
  return (await verify(scene.needs, { name })).differences;
};
const removals = async () => {
  const { rows } = await scene.side.pool.query<{ id: string }>(
    'select id from list_removals order by id, user_id',
  );
  return rows.map(({ id }) => id);
};

const story = [profile('P1', 1, 'U1'), ...['R1', 'R2', 'R3'].map((id) => reservation(id, 'P1'))];

describe('AP-05: a rebuild and a swap', () => {
  test('change nothing about what has changed since, in the middle of it', async () => {
    await tell(...story);
    const origins = [await begin(), await begin(ofUser)] as const;
    await tell(
      reservationRemoved('R1'),
      reservation('R2', 'P1', 2),
      profile('P1', 2, 'U2'),
      profile('P1', 3, 'U1'),
    );
    const before = [await since(origins[0]), await since(origins[1], ofUser)];
    expect(before).toEqual([
      ['-R1', 'R2'],
      ['-R1', 'R2', 'R3'],
    ]);
    expect(await differences('lists')).toEqual([]);
    await swap(scene.needs, { name: 'lists' });
    await scene.settle();
    expect([await since(origins[0]), await since(origins[1], ofUser)]).toEqual(before);
    await tell(reservation('R3', 'P1', 2));
    expect(await since(origins[0])).toEqual(['-R1', 'R2', 'R3']);
  });

  test('where an event had been applied late, make older tokens ask again for everything', async () => {
    await tell(...story);
    await scene.side.pool.query(
      `insert into list_corrections (organization_id, list, times) values ('O1', 'reservations', 1)`,
    );
    const origin = await begin();
    expect(await differences('lists')).toEqual([]);
    await swap(scene.needs, { name: 'lists' });
    expect(await since(origin)).toBeNull();
    expect(await since(await begin())).toEqual([]);
  });
});

describe('AP-05: the beginning of the changes', () => {
  test('rises with the removals that are cleaned; a rebuild, which has them all, is not different', async () => {
    await tell(...story);
    const origin = await begin();
    await tell(reservationRemoved('R1'), profileRemoved('P1'));
    const all = await removals();
    expect(all).toEqual(['P1', 'P1', 'R1', 'R1', 'R2', 'R3']);
    const clean = async (days: number, most = 1_000) => {
      const { remove } = oldListRemovals(() => Date.now(), days);
      return remove(scene.side.pool as never, most);
    };
    expect(await clean(30)).toBe(0);
    expect([await knownFrom(), await since(origin)]).toEqual([0n, ['-R1']]);
    expect(await clean(-1, 1)).toBe(1);
    expect(await since(origin)).toBeNull();
    expect(await differences('lists')).toEqual([]);
    while ((await clean(-1)) > 0);
    expect(await removals()).toEqual([]);
    expect(await differences('lists')).toEqual([]);
    const now = await begin();
    await tell(reservationRemoved('R2', 3));
    expect(await since(now)).toEqual(['-R2']);
    expect(await differences('lists')).toEqual([]);
  });
});

test('AP-05: what an erasure makes unreadable has changed, for the organization and for the user', async () => {
  await tell(...story, profile('P2', 1, 'U1'), reservation('R4', 'P2'));
  const origins = [await begin(), await begin(ofUser)] as const;
  await tell(told('profile-O1.P1', 'ProfileErased', { organizationId: 'O1', id: 'P1', version: 1 }));
  expect(await since(origins[0])).toEqual(['R1', 'R2', 'R3']);
  expect(await since(origins[1], ofUser)).toEqual(['R1', 'R2', 'R3']);
  expect(await differences('lists')).toEqual([]);
});
