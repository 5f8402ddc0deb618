import type { Logger } from 'pino';
import { startRelay } from '../reactions/relay.ts';
import type { Config } from '../config/config.ts';
import { organizationExists } from '../commands/organizations/find-named-organization.ts';
import type { EventStore, LogReader, LogSubscriptions } from '../eventstore/event-store.ts';
import { startEnsuringTopics } from '../kafka/ensure-topics.ts';
import type { KafkaClient } from '../kafka/kafka-client.ts';
import { connectKafka } from '../kafka/kafkajs/connect-kafka.ts';
import { toConnection } from '../kafka/kafkajs/connection.ts';
import { makeKafkaTopics } from '../kafka/kafkajs/topics.ts';
import { startIngest } from '../kafka/ingest/ingest.ts';
import { startIngestAfter } from '../kafka/ingest/start-ingest-after.ts';
import type { ExpiryCommands } from '../kafka/ingest/expired.ts';
import type { RecordCommands } from '../kafka/ingest/resources.ts';
import type { LedDependencies } from '../projections/leadership/leader-elected-worker.ts';
import type { PipelinedReader } from '../projections/database/pipelined-reader.ts';
import { observedPublishing } from '../observability/tracing/observed-ports.ts';
import type { Operations } from '../observability/tracing/operations.ts';

export type KafkaDependencies = {
  readonly config: Config;
  readonly kafka: NonNullable<Config['kafka']>;
  readonly baseUrl: string;
  readonly led: Omit<LedDependencies, 'bounds'>;
  readonly store: EventStore & Pick<LogReader, 'readStored'> & LogSubscriptions;
  readonly commands: RecordCommands & ExpiryCommands;
  readonly reader: PipelinedReader;
  readonly logger: Logger;
  readonly operations: Pick<Operations, 'around'>;
};

export const connectTo = (kafka: KafkaDependencies['kafka'], logger: Logger): KafkaClient =>
  connectKafka(toConnection(kafka, logger));

/** The Kafka workers of a service. No request needs them, and a start does not wait for them. */
export const startKafka = (dependencies: KafkaDependencies) => {
  const { config, kafka, baseUrl, led, store, reader, commands, logger, operations } = dependencies;
  const connection = toConnection(kafka, logger);
  const grantSeconds = config.lifetimes.refreshAbsolute;
  const topics = makeKafkaTopics({ connection, config: kafka, grantSeconds });
  const ensuring = startEnsuringTopics({ topics, logger });
  // One each, so that a failure of one does not close a connection of the other.
  const [out, into] = [connectKafka(connection), connectKafka(connection)];
  const relay = startRelay({
    ...led,
    store,
    reader,
    kafka: observedPublishing(out, operations),
    context: { source: config.issuer ?? baseUrl, baseUrl, topics: kafka.topics },
    logger,
  });
  // On an empty cluster there is nothing to read before the topics are created; an unavailable one is detected by the
  // ingest itself.
  const ingest = startIngestAfter(ensuring.looked, kafka.group, () =>
    startIngest({
      client: into,
      topics: kafka.topics,
      group: kafka.group,
      commands,
      organizationExists: (organizationId) => organizationExists(store, organizationId),
      store,
      now: () => Date.now(),
      logger,
    }),
  );
  return {
    status: () => ({ relay: relay.status(), ingest: ingest.status() }),
    async stop() {
      ensuring.stop();
      await Promise.all([relay.stop(), ingest.stop()]);
      await Promise.all([out.close(), into.close()]);
    },
  };
};
