import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { Backoff } from '../../common/backoff.ts';
import type { ConsumeOptions } from '../kafka-client.ts';
import type { KafkaConnection } from './connection.ts';
import { processBatch } from './process-batch.ts';
import type { Health } from './health.ts';
import { withTimeout } from '../../common/with-timeout.ts';
import { makeKeepAlive, type KeepAlive } from './keep-alive.ts';
import type { Partitions } from './partitions.ts';
import { openSession } from './session.ts';
import { watchExpiry } from './watch-expiry.ts';

type Told = { readonly partitions: Partitions; readonly health: Health; readonly backoff: Backoff };

/** A member without a heartbeat for this long counts as dead, and its partitions move to others. */
const usualSessionMs = 15_000;
const heartbeatMs = 1_000;
/** How long the other members have to finish their work during a rebalance. */
const rebalanceMs = 60_000;
/** Longer than any legitimate wait of the library. */
const silenceMs = rebalanceMs + 60_000;

export const joinGroup = (connection: KafkaConnection, options: ConsumeOptions, told: Told) => {
  const session = openSession(connection);
  const { sessionMs = usualSessionMs } = connection;
  const consumer = session.kafka.consumer({
    groupId: options.group,
    allowAutoTopicCreation: false,
    sessionTimeout: sessionMs,
    rebalanceTimeout: rebalanceMs,
    heartbeatInterval: heartbeatMs,
    maxWaitTimeInMs: 500,
    metadataMaxAge: 60_000,
    partitionAssigners: [watchExpiry(options.expired)],
    retry: { retries: 3, restartOnFailure: () => Promise.resolve(false) },
  });
  const { promise: end, resolve: finish } = deferred();
  const silence = () => finish(new Error(`no heartbeat was answered for ${sessionMs / 1000} s`));
  const keepAlive = makeKeepAlive({ heartbeatMs, sessionMs, silence });
  const underWay = new Set<Promise<void>>();
  const settled = () => Promise.allSettled(underWay);
  const eachBatch = (payload: EachBatchPayload) => {
    const work = processBatch(payload, { options, partitions: told.partitions, keepAlive });
    underWay.add(work);
    return work.finally(() => underWay.delete(work));
  };
  watch(consumer, keepAlive, told);
  const stopWatching = finishOnSilence(consumer, finish);
  consumer.on(consumer.events.CRASH, ({ payload }) => finish(payload.error));
  begin(consumer, options, eachBatch).catch(finish);
  const ended = end.then(async (why) => {
    stopWatching();
    keepAlive.lost();
    await settled();
    session.end();
    return why;
  });
  return {
    /** Resolves with the cause of the end, once no work of it is pending. */
    ended,
    /** Tells pending work to stop, waits for it, and leaves the group. */
    leave: async () => {
      keepAlive.lost();
      await settled();
      await consumer.disconnect().catch(() => undefined);
      finish(null);
    },
    /** Ends it at once, regardless of pending work. */
    cut: () => {
      session.end();
      finish(null);
    },
  };
};

export type Membership = ReturnType<typeof joinGroup>;

const begin = async (
  consumer: Consumer,
  { topics }: ConsumeOptions,
  eachBatch: (payload: EachBatchPayload) => Promise<void>,
): Promise<void> => {
  await withTimeout(silenceMs, consumer.connect());
  await withTimeout(silenceMs, consumer.subscribe({ topics: [...topics], fromBeginning: true }));
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: 8,
    eachBatch,
  });
};

const watch = (consumer: Consumer, keepAlive: KeepAlive, { partitions, health, backoff }: Told) => {
  const { GROUP_JOIN, REBALANCING, HEARTBEAT, FETCH, REQUEST_TIMEOUT } = consumer.events;
  consumer.on(GROUP_JOIN, ({ payload }) => {
    partitions.assign(payload.memberAssignment);
    keepAlive.joined();
    health.joined();
  });
  consumer.on(REBALANCING, () => {
    keepAlive.lost();
    health.joining();
  });
  consumer.on(HEARTBEAT, () => {
    health.well();
    backoff.reset();
  });
  consumer.on(FETCH, () => health.well());
  consumer.on(REQUEST_TIMEOUT, ({ payload }) => health.troubled(`${payload.broker} does not answer`));
};

/** The library may hang in an inconsistent state: a membership without any sign of life is ended. */
const finishOnSilence = (consumer: Consumer, finish: (why: unknown) => void): (() => void) => {
  const { GROUP_JOIN, HEARTBEAT, FETCH } = consumer.events;
  const end = () => finish(new Error(`no sign of life for ${silenceMs / 1000} s`));
  const timer = setTimeout(end, silenceMs).unref();
  const heard = () => void timer.refresh();
  consumer.on(GROUP_JOIN, heard);
  consumer.on(HEARTBEAT, heard);
  consumer.on(FETCH, heard);
  return () => clearTimeout(timer);
};

const deferred = () => {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise<unknown>((settle) => (resolve = settle));
  return { promise, resolve };
};
