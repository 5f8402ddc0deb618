import { expect, test } from 'vitest';
import { issuanceOver } from '../../support/memory/issuance.ts';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { memoryFence } from '../../support/memory/memory-fence.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';

const setUp = async (rotationsPerHour: number) => {
  const reads: string[] = [];
  const store = memoryStore({ beforeRead: (stream) => void reads.push(stream) });
  const over = issuanceOver({ store, fence: memoryFence(), rotationsPerHour });
  await over.prepare();
  valueOf(await over.activate());
  return { ...over, reads };
};

test('GR-03: past it every instance refuses and says how long, until the hour is over; then the same token works', async () => {
  const { newPair, refresh, instance, pass } = await setUp(3);
  let { refreshToken } = await newPair();
  pass(60_000);
  let before = refreshToken;
  for (let time = 0; time < 3; time += 1) {
    before = refreshToken;
    ({ refreshToken } = valueOf(await refresh(refreshToken)));
  }
  for (const by of [undefined, instance(), instance()])
    expect(await refresh(refreshToken, {}, by)).toMatchObject({
      ok: false,
      refusal: 'rotated-too-often',
      retryAfter: 3_540,
    });
  const repeated = valueOf(await refresh(before, {}, instance()));
  expect(repeated.refreshToken).toBe(refreshToken);
  pass(3_539_999);
  expect(await refresh(refreshToken)).toMatchObject({ ok: false, retryAfter: 1 });
  pass(1);
  expect(await refresh(refreshToken, {}, instance())).toMatchObject({ ok: true });
});

test('GR-03: who is refused again and again costs no read of the grant', async () => {
  const { newPair, refresh, reads } = await setUp(1);
  const { refreshToken } = valueOf(await refresh((await newPair()).refreshToken));
  reads.length = 0;
  for (let time = 0; time < 5; time += 1)
    expect(await refresh(refreshToken)).toMatchObject({ refusal: 'rotated-too-often' });
  expect(reads).toEqual([]);
});

test('GR-03: a grant that has ended meanwhile is refused as ended, although its hour is used up', async () => {
  const { newPair, refresh, instance, addonId } = await setUp(1);
  const { refreshToken } = valueOf(await refresh((await newPair()).refreshToken));
  expect(await refresh(refreshToken)).toMatchObject({ refusal: 'rotated-too-often' });
  valueOf(await instance().revokeToken({ addonId, token: refreshToken }));
  expect(await refresh(refreshToken)).toMatchObject({ ok: false, refusal: 'grant-revoked' });
});
