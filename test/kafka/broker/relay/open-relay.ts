import { startRelay, type RelayDependencies, type RunningRelay } from '../../../../src/reactions/relay.ts';
import type { EventStore, LogSubscriptions } from '../../../../src/eventstore/event-store.ts';
import { connectEventStore } from '../../../../src/eventstore/client/esdb.ts';
import { plainConnection } from '../../../support/kafka-broker/plain-connection.ts';
import { connectKafka } from '../../../../src/kafka/kafkajs/connect-kafka.ts';
import type { TopicNames } from '../../../../src/kafka/topics.ts';
import { makePipelinedReader } from '../../../../src/projections/database/pipelined-reader.ts';
import { watchedLogger } from '../../../support/trouble/watched-lines.ts';

/** Everything that relays of one scene share, to be handed to a child process as JSON. */
export type RelayGround = {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  readonly brokers: readonly string[];
  readonly topics: TopicNames;
};

export type OpenRelay = RunningRelay & { readonly store: EventStore & LogSubscriptions };

export type OpenRelayOptions = Pick<RelayDependencies, 'at' | 'batchSize' | 'bounds' | 'leadership'> & {
  readonly logger?: RelayDependencies['logger'];
  /** What it has begun to send is sent, also when it hears that another one leads. */
  readonly deaf?: boolean;
};

const never = new AbortController().signal;
/** As the service starts it, with connections of its own; `stop` closes them. */
export const openRelay = (
  ground: RelayGround,
  { deaf = false, ...more }: OpenRelayOptions = {},
): OpenRelay => {
  const { databaseUrl, eventStoreUrl, brokers, topics } = ground;
  const logger = watchedLogger();
  const store = connectEventStore({ url: eventStoreUrl, logger });
  const reader = makePipelinedReader({ databaseUrl, logger });
  const kafka = connectKafka({ ...plainConnection(brokers), logger });
  const address = 'https://grantbook.example';
  const context = { source: address, baseUrl: address, topics };
  const relay = startRelay({
    databaseUrl,
    store,
    reader,
    kafka: deaf ? { publish: (messages) => kafka.publish(messages, never) } : kafka,
    context,
    logger,
    leadership: { pollMs: 20 },
    bounds: { longestPause: 500 },
    ...more,
  });
  return {
    ...relay,
    store,
    async stop() {
      await relay.stop();
      await Promise.all([kafka.close(), reader.close(), store.close()]);
    },
  };
};
