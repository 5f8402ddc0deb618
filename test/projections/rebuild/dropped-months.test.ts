import pg from 'pg';
import { afterAll, expect, test, vi } from 'vitest';
import { dropMonth, readMonths } from '../../../src/projections/history/drop-month.ts';
import { rebuild } from '../../../src/projections/rebuild/rebuild.ts';
import { swap } from '../../../src/projections/rebuild/swap.ts';
import { verify } from '../../../src/projections/rebuild/verify.ts';
import { account, activated, addon, issued, organization, redeemed, refreshed } from '../follow/a-story.ts';
import { rebuildScene } from './scene.ts';

const scene = await rebuildScene();
const client = new pg.Client({ connectionString: scene.side.database.url });
await client.connect();
afterAll(async () => {
  vi.useRealTimers();
  await client.end();
  await scene.close();
});

const statesNow = async () => (await readMonths(client)).map(({ month, state }) => `${month} ${state}`);

test('HI-04: a rebuild of history brings dropped months back from the log, and equals the rest that is live', async () => {
  for (const month of [0, 1, 2]) {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, month, 3) });
    if (month === 0)
      await scene.tell(
        organization('O1'),
        addon('A1'),
        account('U1'),
        activated(1),
        issued('G1'),
        redeemed('G1'),
      );
    await scene.tell(refreshed('G1', month + 1));
  }
  await scene.settle();
  await dropMonth(client, '2026-01', Date.now());
  await dropMonth(client, '2026-02', Date.now());
  expect(await statesNow()).toEqual(['2026-01 dropped', '2026-02 dropped', '2026-03 attached']);

  const { version } = await rebuild(scene.needs, { name: 'history' });
  await expect(dropMonth(client, '2026-03', Date.now())).rejects.toMatchObject({ code: 'month-not-over' });
  expect(await verify(scene.needs, { name: 'history', version })).toMatchObject({ differences: [] });
  await swap(scene.needs, { name: 'history', version });
  expect(await statesNow()).toEqual(['2026-01 attached', '2026-02 attached', '2026-03 attached']);
});
