import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { migrationsDir } from '../../../src/process/package-root.ts';
import { neededBy } from '../../../src/projections/database/migrate.ts';
import { contractionsIn } from '../lists/contractions.ts';

/** The last one of version edcbc79, from which on versions run side by side. */
const last = 19;
const all = readdirSync(migrationsDir).filter((name) => name.endsWith('.sql'));
const numberOf = (name: string): number => Number(name.slice(0, 4));

/** What looks like a contraction and takes nothing from a version before. */
const harmless: Readonly<Record<string, string>> = {
  '0034-earlier-subject-keys.sql': 'its trigger deletes from its own new table only',
  '0041-wider-indexes-of-history-go.sql':
    'without an index a version before is slower; edcbc79 does not know its table',
  '0073-half-keys-in-history-go.sql':
    'without an index a version before is slower; edcbc79 does not know its table',
  '0096-keys-sorted-by-c.sql': 'what an index sorts by; no version asks for another order of these keys',
  '0076-list-change-blocks.sql': 'its triggers write to their own new table only',
};

test('OP-11: every migration since edcbc79 only adds, or names the one that a version has to know to run at the same time', () => {
  const since = all.filter((name) => numberOf(name) > last);
  expect(since.length).toBeGreaterThan(10);
  const wrong = since.flatMap((name) => {
    const taken = contractionsIn(readFileSync(join(migrationsDir, name), 'utf8'));
    return taken.length > 0 && neededBy(name) === null && !harmless[name] ? [[name, ...taken]] : [];
  });
  expect(wrong, 'a contraction is called NNNN-name.needs-MMMM.sql (docs/adr/0045)').toEqual([]);
});

test('OP-11: a migration that takes away needs one that is there, and came before it', () => {
  const numbers = all.map(numberOf);
  const wrong = all.filter((name) => {
    const needed = neededBy(name);
    return needed !== null && !(numbers.includes(needed) && needed < numberOf(name));
  });
  expect(wrong).toEqual([]);
});

test('FX-39: a migration that has landed never changes; a new one adds its line', () => {
  const list = readFileSync(join(import.meta.dirname, '../../fixtures/migrations.sha256'), 'utf8');
  const landed = new Map(
    list
      .trim()
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  const digestOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(migrationsDir, name)))
      .digest('hex');
  const wrong = [
    ...[...landed].flatMap(([name, digest]) => {
      if (!all.includes(name)) return [`${name} has landed and is missing: restore it`];
      return digestOf(name) === digest
        ? []
        : [`${name} has landed and was changed: restore it, and make the change in a new migration`];
    }),
    ...all
      .filter((name) => !landed.has(name))
      .map(
        (name) =>
          `${name} is new: append this line to test/fixtures/migrations.sha256: ${digestOf(name)}  ${name}`,
      ),
  ];
  expect(wrong).toEqual([]);
});

describe('what takes away', () => {
  test.each([
    'drop table history',
    'DROP TABLE IF EXISTS history, history_owners',
    'alter table addons drop column name',
    'alter table addons drop name',
    'alter table addons rename to add_ons',
    'alter table addons rename column name to title',
    'alter table addons alter column name type varchar(20)',
    'alter table addons alter name set data type varchar(20)',
    'alter table addons alter column name set not null',
    'alter table addons alter column suspended drop default',
    'alter table addons add column colour text not null',
    "alter table addons add column a text not null default '', add column b text not null",
    'alter table addons add constraint named check (length(name) > 3)',
    'alter table addons add unique (name)',
    'create unique index addons_by_name on addons (name)',
    'drop index addons_by_name',
    'create trigger t before insert on addons execute function f()',
    'alter table addons enable row level security',
    'truncate addons',
    'delete from addons',
    '-- only a comment\nalter table addons /* quietly */ drop column name',
  ])('%s', (statement) => {
    expect(contractionsIn(`create table other (id text);\n${statement};`)).toHaveLength(1);
  });
});

describe('what only adds', () => {
  test.each([
    'create table things (id text primary key, name text not null); create unique index things_by_name on things (name)',
    'create table things (id text primary key); alter table things alter column id set storage external',
    'alter table addons add column colour text',
    "alter table addons add column macs jsonb not null default '{}'",
    'create index addons_by_name on addons (name)',
    'insert into checkpoints (name) values (1) on conflict do nothing',
    '-- drop table addons;\nselect 1',
  ])('%s', (sql) => {
    expect(contractionsIn(sql)).toEqual([]);
  });
});
