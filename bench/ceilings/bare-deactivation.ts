import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import Fastify from 'fastify';
import pg from 'pg';

/** The minimum work of a deactivation: one append to the event store, one durable row, one HTTP round trip. */
const [eventStoreUrl = '', databaseUrl = ''] = process.argv.slice(2);
const client = EventStoreDBClient.connectionString(eventStoreUrl);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
pool.on('error', () => undefined);
await pool.query(
  'create table if not exists bench_fence (subject text collate "C" primary key, revision bigint not null)',
);
const write = {
  name: 'write',
  text: `insert into bench_fence values ($1, $2)
    on conflict (subject) do update set revision = excluded.revision where excluded.revision > bench_fence.revision`,
};

const app = Fastify({ logger: false });
let revision = 0;
app.delete('/bare', async () => {
  const id = randomUUID().replaceAll('-', '');
  const event = jsonEvent({ type: 'BenchDeactivated', data: { id, at: Date.now() } });
  await client.appendToStream(`bench-${id}`, event, { expectedRevision: 'no_stream' });
  await pool.query({ ...write, values: ['the only one', (revision += 1)] });
  return { revision };
});
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
console.log(
  JSON.stringify({ baseUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` }),
);
process.on('SIGTERM', () => {
  void app.close().then(async () => {
    await Promise.all([pool.end(), client.dispose()]);
    process.exit(0);
  });
});
