import { EventStoreDBClient, eventTypeFilter, START } from '@eventstore/db-client';

/** What the client alone decodes of the log, without doing anything with it. */
const [url = '', types = ''] = process.argv.slice(2);
const client = EventStoreDBClient.connectionString(url);
const filter = eventTypeFilter({ regex: `^(?:${types.split(',').join('|')})$`, checkpointInterval: 32 });
const started = performance.now();
let events = 0;
const subscription = client.subscribeToAll({ fromPosition: START, filter });
subscription.on('caughtUp', () => {
  console.log(JSON.stringify({ events, seconds: (performance.now() - started) / 1000 }));
  process.exit(0);
});
for await (const { event } of subscription) if (event) events += 1;
