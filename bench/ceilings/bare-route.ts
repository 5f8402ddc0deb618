import Fastify from 'fastify';
import pg from 'pg';

/** A Fastify route with one indexed query and nothing else: the lowest possible cost of a list page. */
const [databaseUrl = '', rows = '25'] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
pool.on('error', () => undefined);
await pool.query(`create table if not exists bench_rows (
  list int not null, ordinal int not null, id text not null, opens text not null,
  valid_from timestamptz not null, valid_until timestamptz, primary key (list, ordinal))`);
await pool.query(`insert into bench_rows select list, ordinal, 'right_' || ordinal, 'Front door', now(), null
  from generate_series(1, 200) list, generate_series(1, 200) ordinal on conflict do nothing`);

const app = Fastify({ logger: false });
app.get('/rows', async () => {
  const { rows: items } = await pool.query({
    name: 'page',
    text: 'select id, opens, valid_from, valid_until from bench_rows where list = $1 and ordinal > $2 order by ordinal limit $3',
    values: [7, 25, Number(rows)],
  });
  return { items };
});
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
console.log(
  JSON.stringify({ baseUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` }),
);
process.on('SIGTERM', () => void app.close().then(() => pool.end()));
