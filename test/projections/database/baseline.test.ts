import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../../src/process/package-root.ts';
import { migrate } from '../../../src/projections/database/migrate.ts';
import { query } from '../../support/query.ts';
import { freshDatabase, type TestDatabase } from '../../support/servers/databases.ts';

let chain: TestDatabase;
let baseline: TestDatabase;

beforeAll(async () => {
  [chain, baseline] = await Promise.all([freshDatabase(), freshDatabase()]);
  await migrate(chain.url, join(packageRoot, 'src/projections/migrations'));
  await migrate(baseline.url, join(packageRoot, 'src/projections/baseline'));
});
afterAll(() => Promise.all([chain.drop(), baseline.drop()]));

const ours = `(select c.* from pg_class c where relnamespace = current_schema()::regnamespace and relname not like '%migration%')`;

/** What the catalog has, in an order of its own: that of columns is left out. */
const facts = {
  relations: `
    select relname, relkind, relpersistence, reloptions, pg_get_partkeydef(oid) as partition, relreplident, reltablespace,
      case relkind when 'v' then pg_get_viewdef(oid) end as view, obj_description(oid, 'pg_class') as comment
    from ${ours} as c order by 1`,
  columns: `
    select relname, attname, format_type(atttypid, atttypmod) as type, attnotnull, attcollation::regcollation::text as collation,
      pg_get_expr(adbin, adrelid) as default, attidentity, attgenerated, attstorage, attcompression, attstattarget, attoptions
    from ${ours} as c join pg_attribute on attrelid = c.oid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attnum > 0 and not attisdropped and relkind not in ('i', 'I') order by 1, 2`,
  indexes: `
    select i.relname, pg_get_indexdef(i.oid) as definition, i.reloptions, indisunique, indisprimary, indisvalid, indisreplident
    from ${ours} as c join pg_index on indrelid = c.oid join pg_class i on i.oid = indexrelid order by 1`,
  constraints: `
    select relname, conname, contype, pg_get_constraintdef(k.oid) as definition, condeferrable, condeferred, convalidated
    from ${ours} as c join pg_constraint k on conrelid = c.oid order by 1, 2`,
  triggers: `
    select relname, tgname, pg_get_triggerdef(t.oid) as definition, tgenabled
    from ${ours} as c join pg_trigger t on tgrelid = c.oid where not tgisinternal order by 1, 2`,
  functions: `
    select proname, pg_get_functiondef(oid) as definition from pg_proc
    where pronamespace = current_schema()::regnamespace order by 1, 2`,
  types: `
    select typname, typtype from pg_type where typnamespace = current_schema()::regnamespace and typname not like '%migration%' order by 1`,
  others: `
    select (select count(*) from pg_policy) as policies, (select count(*) from pg_rewrite) as rules,
      (select count(*) from pg_statistic_ext) as statistics, (select count(*) from pg_event_trigger) as "eventTriggers",
      (select array_agg(extname order by 1) from pg_extension) as extensions,
      (select array_agg(nspname::text order by 1) from pg_namespace) as schemas`,
};

test.each(Object.entries(facts))('the baseline makes the %s that the chain makes', async (_name, text) => {
  const made = await query(baseline.url, text);
  expect(made.length).toBeGreaterThan(0);
  expect(made).toEqual(await query(chain.url, text));
});

test('the baseline inserts the rows that the chain inserts', async () => {
  const rowsIn = async ({ url }: TestDatabase) => {
    const tables = await query(
      url,
      `select relname::text as name from ${ours} as c where relkind in ('r', 'p') order by 1`,
    );
    const names = tables.map(({ name }) => String(name));
    expect(names.length).toBeGreaterThan(50);
    return Promise.all(names.map(async (name) => [name, await query(url, `select * from ${name}`)]));
  };
  expect(await rowsIn(baseline)).toEqual(await rowsIn(chain));
});
