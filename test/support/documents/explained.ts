import pg from 'pg';
import type { Named, PipelinedReader } from '../../../src/projections/database/pipelined-reader.ts';

type Sent = { readonly statement: Named; readonly values: readonly unknown[] };

/** The statement that a reader sends, captured. */
export const sentBy = async (read: (reader: PipelinedReader) => Promise<unknown>): Promise<Sent> => {
  const sent: Sent[] = [];
  const catching: PipelinedReader = {
    query: (statement: Named, values: readonly unknown[]) => {
      sent.push({ statement, values });
      return Promise.reject(caught);
    },
    close: () => Promise.resolve(),
  };
  await read(catching).catch((error: unknown) => {
    if (error !== caught) throw error;
  });
  const [only, ...others] = sent;
  if (!only || others.length > 0) throw new Error(`One statement was expected, not ${sent.length}`);
  return only;
};

const caught = new Error('caught');

export type Explained = {
  /** Rows read by the scans of each table, filtered or not; only tables with any. */
  readonly rows: Readonly<Record<string, number>>;
  readonly allRows: number;
  /** Pages of 8 kB, of tables and indexes. */
  readonly buffers: number;
  /** Number of index descents. */
  readonly searches: number;
};

type Plan = {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Index Searches'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
};

/** Runs it like the read reader, with a generic plan. */
export const explain = async (client: pg.Client, { statement, values }: Sent): Promise<Explained> => {
  await client.query('set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set jit = off');
  await client.query(`prepare explained as ${statement.text}`);
  try {
    const run = `execute explained(${values.map(literal).join(', ')})`;
    await client.query(run); // warm-up: planning reads the catalog, and the plan is cached
    const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(
      `explain (analyze, buffers, format json) ${run}`,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    if (!plan) throw new Error('there is no plan');
    return summed(plan);
  } finally {
    await client.query('deallocate explained');
  }
};

const summed = (plan: Plan): Explained => {
  const rows: Record<string, number> = {};
  let searches = 0;
  const add = (node: Plan): void => {
    const table = node['Relation Name'];
    const read =
      node['Actual Rows'] +
      (node['Rows Removed by Filter'] ?? 0) +
      (node['Rows Removed by Index Recheck'] ?? 0);
    if (table !== undefined && read > 0)
      rows[table] = (rows[table] ?? 0) + Math.ceil(read * node['Actual Loops']);
    searches += node['Index Searches'] ?? 0;
    node.Plans?.forEach(add);
  };
  add(plan);
  return {
    rows,
    allRows: Object.values(rows).reduce((sum, each) => sum + each, 0),
    buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    searches,
  };
};

const literal = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value))
    return `array[${value.map(literal).join(', ')}]::${typeof value[0] === 'bigint' ? 'bigint' : 'text'}[]`;
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (typeof value === 'number' || typeof value === 'bigint') return value.toString();
  throw new Error(`${typeof value} has no literal`);
};
