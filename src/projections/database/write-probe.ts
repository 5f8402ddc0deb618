import type { Pool, PoolClient } from 'pg';
import { causeOf } from '../../common/server-away.ts';

/** Milliseconds since the Unix epoch: `created` by the database's clock, between two instants of ours. */
export type DatabaseProbe = { readonly asked: number; readonly created: number; readonly answered: number };

/** The database answers, but accepts no write. `code` is PostgreSQL's (53100: its disk is full), or Node's. */
export class NoWrite extends Error {
  override readonly name = 'NoWrite';
  readonly code: string;
  constructor(code: string, options: ErrorOptions) {
    super(`the database does not accept writes (${code})`, options);
    this.code = code;
  }
}

/** One message, so that no transaction stays open. The sort needs a temporary file: without space tables cannot grow. The commit reaches the disk. */
const statement = (instance: string): string => `
begin;
set local work_mem = '64kB';
select count(*) from (select md5(n::text) as word from generate_series(1, 8000) n order by word offset 0) sorted;
insert into write_probes (instance, probed_at) values ('${instance.replaceAll("'", "''")}', now())
  on conflict (instance) do update set probed_at = excluded.probed_at;
commit;
select extract(epoch from clock_timestamp()) * 1000 as now`;

/** Writes a row of this instance, and enough to prove disk space, with a pool of its own. @throws NoWrite */
export const makeWriteProbe = (pool: Pool, instance: string) => async (): Promise<DatabaseProbe> => {
  const client = await pool.connect().catch(refuse);
  const asked = Date.now();
  try {
    const created = await probeWith(client, instance);
    client.release();
    return { asked, created, answered: Date.now() };
  } catch (error) {
    client.release(true); // it may be within a transaction
    return refuse(error);
  }
};

const probeWith = async (client: PoolClient, instance: string): Promise<number> => {
  const results: unknown = await client.query(statement(instance));
  const last = (results as readonly { readonly rows: readonly { readonly now: string }[] }[]).at(-1);
  return Math.floor(Number(last?.rows[0]?.now));
};

const refuse = (error: unknown): never => {
  throw new NoWrite(causeOf(error), { cause: error });
};
