import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { packageRoot } from '../../src/process/package-root.ts';

type Pool = Pick<pg.Pool, 'query'>;

/** Which of these texts are anywhere in the files of a database, free space included, after a checkpoint. */
export const tracesInPages = async (pool: Pool, traces: readonly (string | Buffer)[]) => {
  await pool.query('checkpoint');
  const { rows } = await pool.query<{ folder: string }>(
    `select current_setting('data_directory') || '/base/' || oid as folder
     from pg_database where datname = current_database()`,
  );
  const folder = rows[0]?.folder ?? '';
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  return traces.filter((trace) => files.some((file) => file.includes(trace)));
};

/** The statements of the block of SQL in docs/explanation/personal-data.md. */
export const documentedStep = (): readonly string[] => {
  const text = readFileSync(join(packageRoot, 'docs/explanation/personal-data.md'), 'utf8');
  const [, block = ''] = /```sql\n([\s\S]*?)```/.exec(text) ?? [];
  return block.replaceAll(/--.*$/gm, '').split(';').map((one) => one.trim()).filter(Boolean); // prettier-ignore
};
