import pg from 'pg';
import { pino } from 'pino';
import type { Guarded } from '../../src/domain/fence/fence.ts';
import { makeListReader } from '../../src/projections/lists/read/list-reader.ts';
import {
  makePipelinedReader,
  type Named,
  type PipelinedReader,
} from '../../src/projections/database/pipelined-reader.ts';
import { timeInTurns, type EachEnd, type End } from './page-positions.ts';

type List = {
  readonly databaseUrl: string;
  readonly guarded: Guarded & { readonly subject: { readonly kind: 'organization' } };
  readonly pages: EachEnd<number>;
  readonly perPage: number;
};

/** The service's own statement on the service's own reader, without parsing the result. */
export const timeStatement = async (list: List, samples: number): Promise<EachEnd<readonly number[]>> => {
  const reader = makePipelinedReader({ databaseUrl: list.databaseUrl, logger: pino({ level: 'warn' }) });
  try {
    return await timeInTurns(samples, async (end) => {
      const { statement, values } = await sentFor(list, end);
      const rows = await reader.query(statement, values);
      if (rows.length !== 1) throw new Error('the statement of a list page answers one row');
    });
  } finally {
    await reader.close();
  }
};

/** The statement that the service sends for this page, captured from a request. */
const sentFor = async ({ guarded, pages, perPage }: List, end: End) => {
  const sent: { statement: Named; values: readonly unknown[] }[] = [];
  const catching: PipelinedReader = {
    query: (statement: Named, values: readonly unknown[]) => {
      sent.push({ statement, values });
      return Promise.resolve([]);
    },
    close: () => Promise.resolve(),
  };
  await makeListReader(catching, 'access_rights')
    .page({ guarded, perPage, place: { by: 'page', page: pages[end] } })
    .catch(() => undefined); // the fake answer has no row
  const [only] = sent;
  if (!only) throw new Error('a list page is not read by one statement any more');
  return only;
};

/** The usual implementation: OFFSET, and COUNT(*) for the total, on the same table and index. */
export const timePlain = async (list: List, samples: number): Promise<EachEnd<readonly number[]>> => {
  const client = new pg.Client({ connectionString: list.databaseUrl });
  await client.connect();
  try {
    return await timeInTurns(samples, async (end) => {
      const offset = (list.pages[end] - 1) * list.perPage;
      const values = [list.guarded.subject.organizationId, list.perPage, offset];
      const { rows } = await client.query({ name: 'plain', text: plain, values });
      if (rows.length === 0) throw new Error('a page of the list has no items');
    });
  } finally {
    await client.end();
  }
};

const plain = `
  select item, created_at, (select count(*) from access_rights where organization_id = $1) as total
  from access_rights where organization_id = $1 order by ordinal limit $2 offset $3`;
