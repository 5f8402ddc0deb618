import { afterAll, expect, test } from 'vitest';
import { rebuild } from '../../../src/projections/rebuild/rebuild.ts';
import { swap } from '../../../src/projections/rebuild/swap.ts';
import { verify } from '../../../src/projections/rebuild/verify.ts';
import { readDefinition } from '../../../src/projections/rebuild/table-definition.ts';
import { organization, wholeStory } from '../follow/a-story.ts';
import { rebuildScene } from './scene.ts';

const scene = await rebuildScene();
await scene.tell(...wholeStory());
await scene.settle();
afterAll(() => scene.close());

const columns = async (schema: string) =>
  (await readDefinition(scene.side.pool, schema, 'organizations'))?.copied;
const countOf = async () =>
  (await scene.side.pool.query<{ count: number }>('select count(*)::int as count from organizations')).rows[0]
    ?.count ?? 0;

test('OP-11: a read model whose table got a column is built with it next to the live one, which continues, and is swapped in', async () => {
  const before = await countOf();
  await scene.side.pool.query('alter table organizations add column colour text');
  await scene.tell(organization('Obeside'));
  await scene.settle();
  expect(await countOf(), 'by a projector that does not know the column').toBe(before + 1);

  await rebuild(scene.needs, { name: 'organizations' });
  expect(await columns('public_organizations_v2')).toEqual(await columns('public'));
  expect((await verify(scene.needs, { name: 'organizations' })).differences).toEqual([]);
  await swap(scene.needs, { name: 'organizations' });
  expect(await columns('public')).toContainEqual(expect.stringMatching(/^colour text/));
  await scene.tell(organization('Oafter'));
  await scene.settle();
  expect(await countOf()).toBe(before + 2);
});
