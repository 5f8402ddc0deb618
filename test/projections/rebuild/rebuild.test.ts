import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drop } from '../../../src/projections/rebuild/drop.ts';
import { rebuildables } from '../../../src/projections/rebuild/rebuildables.ts';
import { rebuild } from '../../../src/projections/rebuild/rebuild.ts';
import { status } from '../../../src/projections/rebuild/status.ts';
import { swap } from '../../../src/projections/rebuild/swap.ts';
import { readDefinition } from '../../../src/projections/rebuild/table-definition.ts';
import { verify } from '../../../src/projections/rebuild/verify.ts';
import { historyProjections } from '../../../src/projections/history/history.ts';
import { readModelProjections } from '../../../src/projections/read-model-projections.ts';
import { organization, profile, profileRemoved, publisherStory, wholeStory } from '../follow/a-story.ts';
import { rebuildScene } from './scene.ts';
import { ofNoReadModel } from '../../support/log/read-models.ts';

const scene = await rebuildScene();
await scene.tell(...wholeStory(), ...publisherStory());
await scene.settle();
afterAll(() => scene.close());

const names = rebuildables.map(({ name }) => name);
const swappable = rebuildables.filter(({ kept }) => kept === 'versions').map(({ name }) => name);

const others = async (name: string) =>
  (await status(scene.needs.databaseUrl)).find((one) => one.name === name)?.others ?? [];

const dropAll = async () => {
  for (const { name, others: versions } of await status(scene.needs.databaseUrl))
    for (const { version } of versions) await drop(scene.needs, { name, version });
};

describe('what can be rebuilt', () => {
  test('is every projection, and every table of read models is in exactly one of them', async () => {
    const all = [...readModelProjections, ...historyProjections];
    const projections = all.filter(({ name }) => name !== 'erasures'); // which has no table of its own
    expect(names.toSorted()).toEqual(projections.map(({ name }) => name).toSorted());
    const { rows } = await scene.side.pool.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`,
    );
    /** Not made from the log alone, or made otherwise: who adds a table says here, or there, whose it is. */
    const operational = new Set([
      ...ofNoReadModel,
      'checkpoints',
      'list_corrections',
      'migrations',
      'parked_events',
      'prepared_answers',
      'rate_limits',
      'unfinished_calls',
    ]);
    const tables = rebuildables.flatMap((rebuildable) => rebuildable.tables);
    const found = rows.map(({ name }) => name).filter((table) => !operational.has(table));
    expect(tables.toSorted()).toEqual(found);
  });
});

test('a rebuild asks the server for its own events only, and says of how many those were', async () => {
  const { pool } = scene.side;
  const asked: (readonly string[])[] = [];
  const log: typeof scene.needs.log = {
    ...scene.needs.log,
    subscribe: (options) => {
      asked.push(options.eventTypes);
      return scene.needs.log.subscribe(options);
    },
  };
  const build = () => rebuild({ ...scene.needs, log }, { name: 'organizations' });
  const { version, logEvents } = await build();
  expect(logEvents).toBeNull();
  await drop(scene.needs, { name: 'organizations', version });
  await pool.query(`insert into log_tiles (level, index, commit_position, prepare_position, hashes)
                    values (0, 1, 9, 9, decode(repeat('00', 96), 'hex'))`);
  const again = await build();
  await drop(scene.needs, { name: 'organizations', version: again.version });
  expect(again.logEvents).toBe(259);
  await pool.query(`update log_tiles set index = 0, hashes = decode(repeat('00', 32), 'hex')`);
  const behind = await build();
  await pool.query('delete from log_tiles');
  await drop(scene.needs, { name: 'organizations', version: behind.version });
  expect(behind.events).toBeGreaterThan(1);
  expect(behind.logEvents).toBeNull(); // "34,073 events read of 2 in the log" misleads
  const own = rebuildables.find(({ name }) => name === 'organizations')?.projection.eventTypes;
  expect(new Set(asked)).toEqual(new Set([own]));
});

/** While the projector waits, nothing is asked for when nothing is missing. */
const notRead = () => {
  throw new Error('the log was read');
};

describe.each(names)('%s', (name) => {
  const { tables = [], lacking } = rebuildables.find((one) => one.name === name) ?? {};
  let version: number;
  beforeAll(async () => {
    ({ version } = await rebuild(scene.needs, { name, batchSize: 7 }));
  });

  test('is built next to the live tables with the same definitions, and is found equal', async () => {
    const schema = (await others(name))[0]?.schema ?? '';
    for (const table of tables) {
      const live = await readDefinition(scene.side.pool, 'public', table);
      expect(live?.copied.length).toBeGreaterThan(1);
      expect(await readDefinition(scene.side.pool, schema, table)).toEqual(live);
    }
    const verified = await verify(scene.needs, { name });
    expect(verified).toMatchObject({ version, differences: [] });
    expect(Object.keys(verified.tables)).toEqual(tables.filter((table) => table !== lacking));
    expect(verified.tables[tables[0] ?? '']).toBeGreaterThan(0);
  });

  test("takes the live ones' place, with the same rows, indexes and definitions", async () => {
    const before = await scene.side.dump();
    const definitions = await Promise.all(
      tables.map((table) => readDefinition(scene.side.pool, 'public', table)),
    );
    const log = { ...scene.needs.log, subscribe: notRead };
    await swap({ ...scene.needs, log }, { name });
    const { checkpoints: _moved, ...rows } = await scene.side.dump();
    const { checkpoints: _before, ...rowsBefore } = before;
    expect(rows).toEqual(rowsBefore);
    expect(
      await Promise.all(tables.map((table) => readDefinition(scene.side.pool, 'public', table))),
    ).toEqual(definitions);
  });
});

describe('after all were swapped', () => {
  test('the log says so, once each, and the projector goes on in the new tables', async () => {
    expect(
      scene.swaps().map(({ projection, version, previousVersion }) => [projection, version, previousVersion]),
    ).toEqual(swappable.map((name) => [name, 2, 1]));
    await scene.tell(profile('P9'), organization('O9'), profileRemoved('P9'));
    await scene.settle();
    const { rows } = await scene.side.pool.query(`select from organizations where organization_id = 'O9'`);
    expect(rows).toHaveLength(1);
    const { rows: old } = await scene.side.pool.query(
      `select from public_organizations_v1.organizations where organization_id = 'O9'`,
    );
    expect(old).toHaveLength(0);
  });

  test('the old version can be brought forward, verified, and swapped back', async () => {
    await rebuild(scene.needs, { name: 'organizations', version: 1 });
    expect((await verify(scene.needs, { name: 'organizations', version: 1 })).differences).toEqual([]);
    expect(await swap(scene.needs, { name: 'organizations', version: 1 })).toMatchObject({
      version: 1,
      previousVersion: 2,
    });
  });

  test('dropping the others leaves the live tables and nothing else', async () => {
    const { checkpoints: _before, ...before } = await scene.side.dump();
    await dropAll();
    const { checkpoints, ...after } = await scene.side.dump();
    expect(after).toEqual(before);
    expect(checkpoints).toHaveLength(2);
    const { rows } = await scene.side.pool.query(
      `select nspname from pg_namespace where nspname like '%\\_v_'`,
    );
    expect(rows).toEqual([]);
  });
});
