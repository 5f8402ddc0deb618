import { describe, expect, test } from 'vitest';
import { accessSubject, fenceSubjectsOf, judgeFence } from '../../../src/domain/fence/fence.ts';
import { lifetimes } from '../../support/scenes/grants.ts';
import { grantIdIn, issuance } from '../../support/memory/issuance.ts';
import { refusalOf, valueOf } from '../../support/outcomes.ts';

const twenty = Array.from({ length: 20 });

type World = Awaited<ReturnType<typeof issuance>>;

const revoking =
  ({ commands, addonId }: World, by = commands) =>
  (token: string) =>
    by.revokeToken({ addonId, token });

/** What the bearer check says about an access token; null when it lives. */
const judged = async ({ commands, fence }: World, token: string) => {
  const claims = commands.verifyAccessToken(token);
  if (!claims) throw new Error('the token has expired');
  return judgeFence(claims, await fence.read(fenceSubjectsOf(claims)));
};

describe('giving back a refresh token', () => {
  test('RV-05, RV-06: ends the family with all its access tokens, before the answer', async () => {
    const world = await issuance();
    const first = await world.newPair();
    const second = valueOf(await world.refresh(first.refreshToken));
    expect(valueOf(await revoking(world)(second.refreshToken))).toBe('revoked');
    expect(await judged(world, first.accessToken)).toBe('token-revoked');
    expect(await judged(world, second.accessToken)).toBe('token-revoked');
    expect(refusalOf(await world.refresh(second.refreshToken))).toBe('grant-revoked');
    const { event, metadata } = world.store.all().at(-1) ?? {};
    expect(event).toMatchObject({ type: 'GrantRevoked', data: { reason: 'revoked-by-addon' } });
    expect(metadata).toMatchObject({ actor: `addon:${world.addonId}` });
  });

  test('RV-05: a superseded one, however old, ends the family too', async () => {
    const world = await issuance();
    const first = await world.newPair();
    let newest = first;
    for (let count = 0; count < 3; count += 1) newest = valueOf(await world.refresh(newest.refreshToken));
    world.pass(lifetimes.refreshIdle + 1);
    expect(valueOf(await revoking(world)(first.refreshToken))).toBe('revoked');
    expect(refusalOf(await world.refresh(newest.refreshToken))).toBe('grant-revoked');
  });

  test('RV-07: twenty times at once and again on another instance is one event', async () => {
    const world = await issuance();
    const { refreshToken } = await world.newPair();
    const revoke = revoking(world);
    const answers = await Promise.all(twenty.map(() => revoke(refreshToken)));
    const again = await revoking(world, world.instance())(refreshToken);
    expect([...answers, again].every(({ ok }) => ok)).toBe(true);
    expect(answers.map(valueOf).filter((value) => value === 'revoked')).toHaveLength(1);
    expect(world.grantEvents().filter((type) => type === 'GrantRevoked')).toHaveLength(1);
  });
});

describe('giving back an access token', () => {
  test('RV-05, RV-06: ends that one only', async () => {
    const world = await issuance();
    const first = await world.newPair();
    const second = valueOf(await world.refresh(first.refreshToken));
    expect(valueOf(await revoking(world)(first.accessToken))).toBe('revoked');
    expect(await judged(world, first.accessToken)).toBe('token-revoked');
    expect(await judged(world, second.accessToken)).toBeNull();
    valueOf(await world.refresh(second.refreshToken));
    const subject = accessSubject(grantIdIn(world.store), 0);
    expect(world.fence.rows().get(subject)).toMatchObject({ revision: 3n, open: false });
    expect(world.store.all().at(-2)?.event).toMatchObject({
      type: 'AccessTokenRevoked',
      data: { rotation: 0 },
    });
  });

  test('RV-07: twenty times at once is one event, and after the grant has ended it is none', async () => {
    const world = await issuance();
    const { accessToken, refreshToken } = await world.newPair();
    const answers = await Promise.all(twenty.map(() => revoking(world)(accessToken)));
    expect(answers.map(valueOf).filter((value) => value === 'revoked')).toHaveLength(1);
    const { accessToken: second } = valueOf(await world.refresh(refreshToken));
    await revoking(world)(refreshToken);
    expect(valueOf(await revoking(world)(second))).toBe('nothing-to-revoke');
    expect(world.grantEvents().filter((type) => type === 'AccessTokenRevoked')).toHaveLength(1);
  });

  test('RV-01: an expired one changes nothing', async () => {
    const world = await issuance();
    const { accessToken } = await world.newPair();
    world.pass(lifetimes.accessToken);
    expect(valueOf(await revoking(world)(accessToken))).toBe('nothing-to-revoke');
    expect(world.grantEvents()).not.toContain('AccessTokenRevoked');
  });
});

test('RV-01: what is no token of ours changes nothing and reads nothing, a code included', async () => {
  const world = await issuance();
  const { refreshToken, accessToken } = await world.newPair();
  const code = await world.issue();
  const [before, reads] = [world.store.all().length, world.reads.length];
  const forged = [refreshToken, accessToken].map((token) => `${token.slice(0, -8)}AAAAAAAA`);
  for (const token of ['', 'x', code, 'mkt_at_', 'mkt_rt_', 'x'.repeat(10_000), ...forged])
    expect(valueOf(await revoking(world)(token))).toBe('nothing-to-revoke');
  expect([world.store.all().length, world.reads.length]).toEqual([before, reads]);
});

test('RV-03: the token of another add-on is refused and lives on', async () => {
  const world = await issuance();
  const { refreshToken, accessToken } = await world.newPair();
  for (const token of [refreshToken, accessToken])
    expect(refusalOf(await world.commands.revokeToken({ addonId: 'another', token }))).toBe(
      'token-of-another-client',
    );
  expect(await judged(world, accessToken)).toBeNull();
  valueOf(await world.refresh(refreshToken));
});
