import type { EventStore, LogReader, LogSubscriptions } from '../eventstore/event-store.ts';
import { makeIsSkipped } from '../eventstore/skipped-events.ts';
import { publishedTypes } from '../kafka/contract/decisions.ts';
import { makeToMessage, type MessageContext } from '../kafka/contract/to-message.ts';
import type { KafkaClient } from '../kafka/kafka-client.ts';
import { makeGrantOwners } from '../kafka/relay/grant-owners.ts';
import { type AtPoint, makeRelay, type RelayBounds } from '../kafka/relay/relay.ts';
import type { RelayStatus } from '../kafka/status.ts';
import { startBatchReaction } from './batch-reaction.ts';
import { readGrantOwners } from '../projections/access/grant-owners.ts';
import type {
  LeaderElectedWorkerDependencies,
  LedDependencies,
  WorkerStatus,
} from '../projections/leadership/leader-elected-worker.ts';
import type { Logger, PipelinedReader } from '../projections/database/pipelined-reader.ts';

export type RelayDependencies = Omit<LedDependencies, 'bounds'> & {
  readonly store: Pick<EventStore, 'read'> & Pick<LogReader, 'readStored'> & LogSubscriptions;
  readonly reader: PipelinedReader;
  readonly kafka: Pick<KafkaClient, 'publish'>;
  readonly context: MessageContext;
  /** Where they differ from the usual ones. */
  readonly leadership?: LeaderElectedWorkerDependencies['bounds'];
  readonly bounds?: Partial<RelayBounds>;
  readonly batchSize?: number;
  /** For tests. */
  readonly at?: AtPoint;
};

/** Not the name of a projection, so no rebuild resets it: what was published stays published. */
export const relayCheckpoint = 'kafka-relay';

/** Publishes every decision in the log, from the first event on if there was no relay before; one instance at a time. */
export const startRelay = (dependencies: RelayDependencies) => {
  const { store, reader, kafka, context, leadership, bounds, batchSize, at, ...led } = dependencies;
  const { logger } = led;
  const relay = makeRelay({
    kafka,
    toMessage: makeToMessage(context),
    ownersOf: makeGrantOwners({ find: readGrantOwners(reader), store }),
    logger,
    now: () => Date.now(),
    bounds,
    at,
  });
  const worker = startBatchReaction({
    ...led,
    log: store,
    logger: calmWhile(() => relay.status().trouble !== null, logger),
    name: relayCheckpoint,
    eventTypes: publishedTypes,
    handle: relay.relay,
    isSkipped: makeIsSkipped((...asked) => store.readStored(...asked)),
    ...(leadership && { bounds: leadership }),
    batchSize,
    at,
  });
  return {
    status: () => statusOf(worker.status(), relay.status()),
    /** Resolves once this instance leads and has published what was in the log; on a standby it stays pending. */
    caughtUp: worker.caughtUp,
    /** Does not wait for running work: it is delivered again. */
    stop: () => worker.stop(),
  };
};

export type RunningRelay = ReturnType<typeof startRelay>;

/** While the brokers are not available, an instance leads again every half minute: that is not logged. */
const calmWhile = (isTroubled: () => boolean, logger: Logger): Logger => ({
  info: (context, message) => (isTroubled() ? undefined : logger.info(context, message)),
  warn: (context, message) => logger.warn(context, message),
  error: (context, message) => logger.error(context, message),
});

/** Longer than an instance that stepped down waits before it leads again, if no other one leads. */
const standsByAfter = 5_000;

/** Failures of the leadership are logged, the status says that there are some. A standby says nothing of Kafka. */
const statusOf = ({ role, healthy }: WorkerStatus, relay: Omit<RelayStatus, 'role'>): RelayStatus => {
  if (role === 'leading' || Date.now() < (relay.lastFailure ?? 0) + standsByAfter) return { role, ...relay };
  return { ...relay, role: healthy ? role : 'stuck', trouble: null, waiting: 0, oldestWaiting: null };
};
