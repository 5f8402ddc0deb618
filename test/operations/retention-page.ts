import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';

export const retentionPage = readFileSync(
  join(import.meta.dirname, '../../docs/reference/retention.md'),
  'utf8',
);

/** The rows of the table below a heading: cells without ticks. */
export const rowsBelow = (heading: string): readonly (readonly string[])[] =>
  (retentionPage.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.replaceAll('`', '').trim()),
    );

export const numberIn = (cell = ''): number => Number(cell.replaceAll(/[ ,]/g, ''));

export const documentedTables = rowsBelow('Tables');

/** What the page says that a row of the table takes. */
export const bytesARow = (table: string): number =>
  numberIn(documentedTables.find(([name]) => name === table)?.[2]);

/** Of a table with its indexes and partitions, after `vacuum full`. */
export const bytesOf = async (client: Pick<pg.Client, 'query'>, table: string): Promise<number> => {
  const { rows: parts } = await client.query<{ name: string }>(
    `select relid::regclass::text as name from pg_partition_tree($1) where isleaf`,
    [table],
  );
  const names = parts.length > 0 ? parts.map(({ name }) => name) : [table];
  let sum = 0;
  for (const name of names) {
    await client.query(`vacuum full ${name}`);
    const { rows } = await client.query<{ bytes: string }>('select pg_total_relation_size($1) as bytes', [
      name,
    ]);
    sum += Number(rows[0]?.bytes);
  }
  return sum;
};
