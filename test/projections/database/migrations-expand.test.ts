import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { migrationsDir } from '../../../src/process/package-root.ts';
import { neededBy } from '../../../src/projections/database/migration-records.ts';
import { contractionsIn } from '../lists/contractions.ts';

/** The last one of the baseline, which makes the schema of 1.0.0: from then on versions run side by side. */
const baseline = 13;

type Migration = { readonly name: string; readonly sql: string };

const all: readonly Migration[] = readdirSync(migrationsDir)
  .filter((name) => name.endsWith('.sql'))
  .map((name) => ({ name, sql: readFileSync(join(migrationsDir, name), 'utf8') }));

const numberOf = (name: string): number => Number(name.slice(0, 4));

/** A contraction is called NNNN-name.needs-MMMM.sql (docs/adr/0045). */
const wrongIn = (chain: readonly Migration[]): readonly string[] => {
  const numbers = chain.map(({ name }) => numberOf(name));
  return chain.flatMap(({ name, sql }) => {
    const needed = neededBy(name);
    if (needed !== null) {
      const isKnown = numbers.includes(needed) && needed < numberOf(name);
      return isKnown ? [] : [`${name} needs one that did not come before it`];
    }
    const taken = numberOf(name) > baseline ? contractionsIn(sql) : [];
    return taken.map((statement) => `${name} takes away: ${statement}`);
  });
};

test('OP-11: every migration after the baseline only adds, or names the one that a version has to know to run at the same time', () => {
  expect(all.filter(({ name }) => numberOf(name) <= baseline)).toHaveLength(baseline);
  expect(wrongIn(all)).toEqual([]);
});

test.each([
  ['one that adds', '0015-more.sql', 'alter table addons add column colour text', []],
  [
    'one that takes away',
    '0015-less.sql',
    'alter table addons drop column website',
    ['0015-less.sql takes away: alter table addons drop column website'],
  ],
  ['one that takes away and says what it needs', '0015-less.needs-0014.sql', 'drop table outages', []],
  [
    'one that needs what is not there',
    '0015-less.needs-0016.sql',
    'drop table outages',
    ['0015-less.needs-0016.sql needs one that did not come before it'],
  ],
  [
    'one that needs itself',
    '0015-less.needs-0015.sql',
    'drop table outages',
    ['0015-less.needs-0015.sql needs one that did not come before it'],
  ],
])('OP-11: %s is judged so', (_kind, name, sql, wrong) => {
  const before = { name: '0014-unused.sql', sql: 'create table other (id text primary key)' };
  expect(wrongIn([...all, before, { name, sql }])).toEqual(wrong);
});

test('FX-39: a migration that has landed never changes; a new one adds its line', () => {
  const list = readFileSync(join(import.meta.dirname, '../../fixtures/migrations.sha256'), 'utf8');
  const landed = new Map(
    list
      .trim()
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  const now = new Map(all.map(({ name, sql }) => [name, createHash('sha256').update(sql).digest('hex')]));
  const wrong = [
    ...[...landed].flatMap(([name, digest]) => {
      if (!now.has(name)) return [`${name} has landed and is missing: restore it`];
      return now.get(name) === digest
        ? []
        : [`${name} has landed and was changed: restore it, and make the change in a new migration`];
    }),
    ...[...now]
      .filter(([name]) => !landed.has(name))
      .map(
        ([name, digest]) =>
          `${name} is new: append this line to test/fixtures/migrations.sha256: ${digest}  ${name}`,
      ),
  ];
  expect(wrong).toEqual([]);
});

describe('what takes away', () => {
  test.each([
    'drop table outages',
    'DROP TABLE IF EXISTS outages, log_marks',
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
