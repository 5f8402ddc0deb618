import type { Logger } from 'pino';
import { startRelay } from './compose-relay.ts';
import type { Config } from './config.ts';
import type { EventStore, LogSubscriptions } from './eventstore/event-store.ts';
import { startEnsuringTopics } from './kafka/ensure-topics.ts';
import { connectKafka } from './kafka/kafkajs/connect-kafka.ts';
import { toConnection } from './kafka/kafkajs/connection.ts';
import { makeKafkaTopics } from './kafka/kafkajs/topics.ts';
import type { RelayStatus } from './kafka/status.ts';
import type { ReadLane } from './projections/read-lane.ts';

export type KafkaNeeds = {
  readonly config: Config;
  readonly kafka: NonNullable<Config['kafka']>;
  /** Where the service is reached. */
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly store: Pick<EventStore, 'read'> & LogSubscriptions;
  readonly lane: ReadLane;
  readonly logger: Logger;
};

/** What runs beside a service that has Kafka. None of it is needed by a request, and none of it keeps a start waiting. */
export type RunningKafka = {
  readonly status: () => { readonly relay: RelayStatus };
  stop(): Promise<void>;
};

export const startKafka = (needs: KafkaNeeds): RunningKafka => {
  const { config, kafka, baseUrl, databaseUrl, store, lane, logger } = needs;
  const connection = toConnection(kafka, logger);
  const grantSeconds = config.lifetimes.refreshAbsolute;
  const topics = makeKafkaTopics({ connection, config: kafka, grantSeconds });
  const ensuring = startEnsuringTopics({ topics, logger });
  const client = connectKafka(connection);
  const relay = startRelay({
    databaseUrl,
    store,
    lane,
    kafka: client,
    context: { source: config.issuer ?? baseUrl, baseUrl, topics: kafka.topics },
    logger,
  });
  return {
    status: () => ({ relay: relay.status() }),
    async stop() {
      ensuring.stop();
      await relay.stop();
      await client.close();
    },
  };
};
