import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { percentile } from '../percentile.ts';

/** The client's own speed: one small event per append, each to a new stream, `inFlight` at a time. */
const append = async (client: EventStoreDBClient, payload: Record<string, unknown>): Promise<void> => {
  const event = jsonEvent({ type: 'BenchAppended', data: payload });
  await client.appendToStream(`bench-${randomUUID().replaceAll('-', '')}`, event, {
    expectedRevision: 'no_stream',
  });
};

const [url = '', inFlight = '16', seconds = '3'] = process.argv.slice(2);
const client = EventStoreDBClient.connectionString(url);
const payload = {
  salt: 'x'.repeat(22),
  scopes: ['profiles:read', 'access-rights:read'],
  text: 'y'.repeat(180),
};

const run = async (
  milliseconds: number,
): Promise<{ readonly latencies: number[]; readonly seconds: number }> => {
  const latencies: number[] = [];
  const started = performance.now();
  const worker = async (): Promise<void> => {
    while (performance.now() < started + milliseconds) {
      const before = performance.now();
      await append(client, payload);
      latencies.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, worker));
  return { latencies, seconds: (performance.now() - started) / 1000 };
};

await run(1000); // warm-up: both processes compile their code
const { latencies, seconds: elapsed } = await run(Number(seconds) * 1000);
console.log(
  JSON.stringify({
    perSecond: latencies.length / elapsed,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    n: latencies.length,
  }),
);
await client.dispose();
process.exit(0);
