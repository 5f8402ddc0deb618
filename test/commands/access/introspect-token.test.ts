import { describe, expect, test } from 'vitest';
import { issuedAt } from '../../../src/commands/access/find-rotation.ts';
import type { Known } from '../../../src/commands/kernel/handle.ts';
import { ownApi } from '../../../src/domain/access/audience.ts';
import type { LiveGrant } from '../../../src/domain/access/grant.ts';
import { accountSubject } from '../../../src/domain/fence/fence.ts';
import { lifetimes, seconds, t0, terms } from '../../support/scenes/grants.ts';
import { issuance } from '../../support/memory/issuance.ts';
import { valueOf } from '../../support/outcomes.ts';

type World = Awaited<ReturnType<typeof issuance>>;

const looking =
  ({ commands, addonId }: World, by = commands) =>
  (token: string) =>
    by.introspectToken({ addonId, token, audiences: [] });

test.each([
  ['accessToken', lifetimes.accessToken],
  ['refreshToken', lifetimes.refreshIdle],
] as const)('IN-02: an expired %s is none, to the millisecond', async (kind, lifetime) => {
  const world = await issuance();
  const token = (await world.newPair())[kind];
  world.pass(lifetime - 1);
  expect(await looking(world)(token)).not.toBeNull();
  world.pass(1);
  expect(await looking(world)(token)).toBeNull();
});

describe('an access token', () => {
  test('IN-03: is described as it was issued, after refreshes and on a cold instance too', async () => {
    const world = await issuance();
    const { scopes } = terms;
    world.pass(seconds(7));
    const first = await world.newPair();
    world.pass(seconds(40));
    const second = valueOf(await world.refresh(first.refreshToken, { scopes: ['openid'] }));
    const third = valueOf(await world.refresh(second.refreshToken));
    const expected = (rotation: number, at: number, granted: readonly string[]) => ({
      kind: 'access',
      rotation,
      addonId: world.addonId,
      userId: world.userId,
      subject: { kind: 'organization', organizationId: world.organizationId, epoch: 1 },
      scopes: granted,
      issuedAt: at,
      expiresAt: at + lifetimes.accessToken,
      resources: [ownApi],
      grantId: expect.any(String) as string,
    });
    for (const by of [world.commands, world.instance()]) {
      const look = looking(world, by);
      expect(await look(first.accessToken)).toEqual(expected(0, t0 + seconds(7), scopes));
      expect(await look(second.accessToken)).toEqual(expected(1, t0 + seconds(47), ['openid']));
      expect(await look(third.accessToken)).toEqual(expected(2, t0 + seconds(47), scopes));
    }
  });

  test('IN-03: when the newest two pairs were issued is known without a read', async () => {
    const pair = (rotation: number) => ({ rotation, at: t0 + rotation }) as LiveGrant['current'];
    const known = {
      revision: 9n,
      state: { current: pair(7), previous: pair(6), redeemedAt: t0 },
    } as Known<LiveGrant>;
    const unread = { readBack: () => Promise.reject(new Error('read')) };
    const issued = [7, 6, 0].map((rotation) => issuedAt(unread, 'grant-1', known, rotation));
    expect(await Promise.all(issued)).toEqual([t0 + 7, t0 + 6, t0]);
    await expect(issuedAt(unread, 'grant-1', known, 5)).rejects.toThrow('read');
  });

  test('IN-07, RV-06: that was revoked on one instance is none on another, which remembers its grant', async () => {
    const world = await issuance();
    const { accessToken, refreshToken } = await world.newPair();
    const look = looking(world);
    const elsewhere = world.instance();
    const reads = world.reads.length;
    expect(await look(accessToken)).not.toBeNull();
    await elsewhere.revokeToken({ addonId: world.addonId, token: accessToken });
    expect(await look(accessToken)).toBeNull();
    // The one read is the revocation's: to look at a token whose grant is remembered needs the fence only.
    expect(world.reads.length - reads).toBe(1);
    expect(await look(refreshToken)).toMatchObject({ kind: 'refresh' });
    await elsewhere.revokeToken({ addonId: world.addonId, token: refreshToken });
    expect(await look(refreshToken)).toBeNull();
  });

  test('DA-02, IN-04: of a deactivated activation is none, and stays so in the next epoch', async () => {
    const world = await issuance();
    const { accessToken, refreshToken } = await world.newPair();
    const look = looking(world);
    valueOf(await world.deactivate());
    expect([await look(accessToken), await look(refreshToken)]).toEqual([null, null]);
    valueOf(await world.activate());
    expect([await look(accessToken), await look(refreshToken)]).toEqual([null, null]);
  });

  test('SU-01: of a suspended add-on is none until it is resumed', async () => {
    const world = await issuance();
    const { accessToken } = await world.newPair();
    valueOf(await world.commands.suspendAddon(world.addonId));
    expect(await looking(world)(accessToken)).toBeNull();
    valueOf(await world.commands.resumeAddon(world.addonId));
    expect(await looking(world)(accessToken)).not.toBeNull();
  });

  test("AC-03: of a disabled account is none for the user's own data, and lives for an organization's", async () => {
    const world = await issuance();
    const { userId, fence } = world;
    const organizations = await world.newPair();
    const users = await world.newPair({ subject: { kind: 'user', userId, epoch: 0 } });
    await fence.write([{ subject: accountSubject(userId), revision: 9n, epoch: 0, open: false }]);
    expect(await looking(world)(organizations.accessToken)).not.toBeNull();
    expect(await looking(world)(users.accessToken)).toBeNull();
    expect(await looking(world)(users.refreshToken)).toBeNull();
  });
});

describe('a refresh token', () => {
  test('IN-03, IN-04: the newest is described with all that was granted; a superseded one is none', async () => {
    const world = await issuance();
    const first = await world.newPair();
    world.pass(seconds(5));
    const second = valueOf(await world.refresh(first.refreshToken, { scopes: ['openid'] }));
    for (const by of [world.commands, world.instance()]) {
      expect(await looking(world, by)(first.refreshToken)).toBeNull();
      expect(await looking(world, by)(second.refreshToken)).toMatchObject({
        kind: 'refresh',
        rotation: 1,
        scopes: terms.scopes,
        issuedAt: t0 + seconds(5),
        expiresAt: t0 + seconds(5) + lifetimes.refreshIdle,
      });
    }
  });

  test('IN-07: is none on an instance that remembers it, once another one has rotated it', async () => {
    const world = await issuance();
    const { refreshToken } = await world.newPair();
    expect(await looking(world)(refreshToken)).not.toBeNull();
    valueOf(await world.refresh(refreshToken, {}, world.instance()));
    expect(await looking(world)(refreshToken)).toBeNull();
  });
});

test('IN-04, IN-05: codes, forged strings and the tokens of others are none', async () => {
  const world = await issuance();
  const { accessToken, refreshToken } = await world.newPair();
  const code = await world.issue();
  for (const token of ['', 'x', code, `${accessToken.slice(0, -8)}AAAAAAAA`, 'x'.repeat(10_000)])
    expect(await looking(world)(token)).toBeNull();
  for (const token of [accessToken, refreshToken])
    expect(await world.commands.introspectToken({ addonId: 'another', token, audiences: [] })).toBeNull();
});
