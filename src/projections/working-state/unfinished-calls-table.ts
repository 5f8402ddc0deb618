import type { Pool } from 'pg';

/** In milliseconds: longer than a call may take that goes on. */
const killedAfter = 30_000;

type Context = {
  readonly traceparent: string;
  readonly acting?: { readonly actor: string; readonly tokenId: string | null };
  readonly reason?: string;
  readonly since?: Readonly<Record<string, string | null>>;
};
type Call = { readonly command: string; readonly request: unknown; readonly context: Context | null };

/** Calls of commands that append to several streams, until they have ended. */
export const makeUnfinishedCalls = ({ pool }: { readonly pool: Pick<Pool, 'query'> }) => {
  const ending = (id: string) => async (): Promise<void> =>
    void (await pool.query({
      name: 'end-call',
      text: 'delete from unfinished_calls where id = $1',
      values: [id],
    }));
  return {
    begin: async ({ command, request, context }: Call) => {
      const values = [command, JSON.stringify(request), JSON.stringify(context)];
      const { rows } = await pool.query<Pick<Row, 'id'>>({ name: 'begin-call', text: insert, values });
      return ending(rows[0]?.id ?? '');
    },
    /** Those of processes that were killed, for whoever asks first; again to anybody where they are not ended in time. */
    takeOld: async () => {
      const { rows } = await pool.query<Row>({ name: 'old-calls', text: take, values: [killedAfter] });
      return rows.map(({ id, ...call }) => ({ ...call, end: ending(id) }));
    },
  };
};

type Row = Call & { readonly id: string };

const insert =
  'insert into unfinished_calls (command, request, context) values ($1, $2::jsonb, $3::jsonb) returning id';

const take = `
  update unfinished_calls set begun_at = clock_timestamp()
  where id in (select id from unfinished_calls where begun_at < clock_timestamp() - $1 * interval '1 ms'
               order by begun_at limit 10 for update skip locked)
  returning id, command, request, context`;
