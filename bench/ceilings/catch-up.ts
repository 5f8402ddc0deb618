import { EventStoreDBClient, eventTypeFilter, START } from '@eventstore/db-client';

/** The client alone: it decodes the log and discards the events. */
const [url = '', types = ''] = process.argv.slice(2);
const client = EventStoreDBClient.connectionString(url);
const filter = eventTypeFilter({ regex: `^(?:${types.split(',').join('|')})$`, checkpointInterval: 32 });

const pass = async (): Promise<{ readonly events: number; readonly seconds: number }> => {
  const started = performance.now();
  let events = 0;
  const subscription = client.subscribeToAll({ fromPosition: START, filter });
  const caughtUp = new Promise<void>((resolve) => subscription.on('caughtUp', resolve));
  subscription.on('data', ({ event }) => (events += event ? 1 : 0));
  await caughtUp;
  const seconds = (performance.now() - started) / 1000;
  await subscription.unsubscribe();
  return { events, seconds };
};

await pass(); // warm-up: a running process has compiled its code already
console.log(JSON.stringify(await pass()));
process.exit(0);
