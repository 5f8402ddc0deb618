import { LRUCache } from 'lru-cache';
import { growing } from '../../common/growing.ts';
import type { Logger } from 'pino';
import { makeConcurrencyLimiter } from '../../common/concurrency-limiter.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { EventStore } from '../../eventstore/event-store.ts';
import type { KafkaClient, ReceivedBatch } from '../kafka-client.ts';
import type { IngestOutcome, IngestStatus } from '../status.ts';
import type { TopicNames } from '../topics.ts';
import { type DeadLetter, makeSendDeadLetters } from './dead-letter.ts';
import { recordBatch, type Recorded } from './record-batch.ts';
import { type ExpiryCommands, makeExpired } from './expired.ts';
import { readersOf, type RecordCommands } from './resources.ts';

type Dependencies = {
  readonly client: Pick<KafkaClient, 'publish' | 'consume'>;
  readonly topics: Pick<TopicNames, 'in' | 'deadLetter'>;
  readonly group: string;
  readonly commands: RecordCommands & ExpiryCommands;
  readonly organizationExists: (organizationId: string) => Promise<boolean>;
  readonly store: Pick<EventStore, 'head'>;
  readonly now: () => number;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
};

/** Maximum for one batch: its failures are probably all alike, and the batch is retried. */
const mostLogged = 5;

export type Ingest = {
  readonly status: () => IngestStatus;
  stop(): Promise<void>;
};

/** A larger batch does not fill the log's append groups any better, and leaves more messages uncommitted. */
const batchSize = 1000;

/** Batches of a member at once: with more, an append would wait too long. Two, so that the log has work while one ends. */
const batchesAtOnce = 2;

/** Records messages from Kafka (LI-08); offsets are committed once recorded or among the dead letters. Passing errors are retried forever. */
export const startIngest = (dependencies: Dependencies): Ingest => {
  const { client, topics, group, store, logger } = dependencies;
  const readers = readersOf(topics.in, dependencies.commands);
  const organizationExists = makeKnownOrganizations(dependencies.organizationExists);
  const sendDeadLetters = makeSendDeadLetters({ client, topic: topics.deadLetter, now: dependencies.now });
  const suspects = makePoisonTracker();
  const counts = makeCounts();
  const expired = makeExpired(dependencies);
  const limiter = makeConcurrencyLimiter({ atOnce: batchesAtOnce });

  const handle = async (batch: ReceivedBatch, signal: AbortSignal): Promise<void> => {
    const read = readers.get(batch.topic);
    if (read === undefined) throw new Error(`the topic ${batch.topic} was never asked for`);
    const recorded = await limiter.run(() => recordBatch({ read, organizationExists }, batch, signal));
    for (const outcome of recorded.done) counts.add(batch.topic, outcome);
    const failed = recorded.failures.length > 0 ? await judgeFailures(batch, recorded) : [];
    const deadLetters = [...recorded.deadLetters, ...failed];
    if (deadLetters.length > 0) {
      await sendDeadLetters(deadLetters, signal);
      counts.add(batch.topic, 'dead-lettered', deadLetters.length);
      logger.warn(summaryOf(batch, deadLetters), 'kafka: invalid messages were sent to the dead letters');
    }
    suspects.passed(batch);
  };

  const judgeFailures = async (batch: ReceivedBatch, recorded: Recorded): Promise<readonly DeadLetter[]> => {
    const { topic, partition } = batch;
    const { failures } = recorded;
    await store.head(); // rejects when the log is unavailable: then the messages are not the cause
    const offsets = failures.map(({ message }) => message.offset);
    const hopeless = suspects.areHopeless(batch, offsets, recorded.done.length);
    for (const { message, cause } of failures.slice(0, mostLogged))
      logger.error(
        {
          topic,
          partition,
          offset: String(message.offset),
          failures: failures.length,
          ...withoutValues(cause),
        },
        hopeless
          ? 'kafka: recording a message failed repeatedly; sending it to the dead letters'
          : 'kafka: recording a message failed; retrying its batch',
      );
    if (!hopeless) throw new RecordingFailed(`recording ${failures.length} messages failed`);
    return failures.map(({ message }) => ({ topic, partition, message, reason: 'failed', problems: [] }));
  };

  const consumption = client.consume({
    group,
    topics: [...readers.keys()],
    batchSize,
    handle: (batch, signal) =>
      handle(batch, signal).catch((error: unknown) => {
        if (!signal.aborted) counts.retried();
        throw error;
      }),
    expired: expired.note,
  });
  return {
    status: () => ({
      ...counts.all(),
      expired: expired.missing(),
      members: [{ group, consumption: consumption.status() }],
    }),
    stop: () => consumption.stop(),
  };
};

/** For messages that may succeed when their batch is retried. */
class RecordingFailed extends Error {
  override readonly name = 'RecordingFailed';
}

const makeCounts = () => {
  const messages = new Map<string, { topic: string; outcome: IngestOutcome; messages: number }>();
  let retries = 0;
  return {
    add(topic: string, outcome: IngestOutcome, count = 1): void {
      const key = `${outcome} ${topic}`;
      const counted = messages.get(key) ?? { topic, outcome, messages: 0 };
      counted.messages += count;
      messages.set(key, counted);
    },
    retried: (): void => void (retries += 1),
    all: () => ({ messages: [...messages.values()].map((counted) => ({ ...counted })), retries }),
  };
};

const summaryOf = ({ topic, partition }: ReceivedBatch, deadLetters: readonly DeadLetter[]) => {
  const reasons: Record<string, number> = {};
  for (const { reason } of deadLetters) reasons[reason] = (reasons[reason] ?? 0) + 1;
  return { topic, partition, firstOffset: String(deadLetters[0]?.message.offset), reasons };
};

/** The text of an error may contain a record, which is personal data. */
const withoutValues = (cause: unknown) => {
  if (!(cause instanceof Error)) return { failure: typeof cause };
  const frames = cause.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return { failure: cause.name, at: frames?.slice(0, 5).map((line) => line.trim()) };
};

/** Far more than are active at a time; a miss costs one read of the stream. */
const remembered = 10_000;

/** Caches the organizations that exist: they are never removed. Concurrent calls share one read. */
const makeKnownOrganizations = (exists: (organizationId: string) => Promise<boolean>) => {
  const known = new LRUCache<string, true>(growing(remembered));
  const asked = new Map<string, Promise<boolean>>();
  const ask = async (organizationId: string): Promise<boolean> => {
    try {
      const found = await exists(organizationId);
      if (found) known.set(organizationId, true);
      return found;
    } finally {
      asked.delete(organizationId);
    }
  };
  return (organizationId: string): boolean | Promise<boolean> => {
    if (known.get(organizationId)) return true;
    if (!isUlid(organizationId)) return false;
    const asking = asked.get(organizationId) ?? ask(organizationId);
    asked.set(organizationId, asking);
    return asking;
  };
};

/** After so many failures while the log answers, the message is the cause: some ten seconds, longer than an election. */
export const mostTries = 8;

/** If more messages than this fail and no other succeeds, the cause is probably not the messages. */
const mostFailures = 10;

type Place = Pick<ReceivedBatch, 'topic' | 'partition'>;

/** Tells a message of a bug, which must not block its partition, from an outage, which must not fill the dead letters. In memory. */
const makePoisonTracker = () => {
  const tries = new Map<string, ReadonlyMap<bigint, number>>();
  const placeOf = ({ topic, partition }: Place) => `${topic}/${partition}`;
  return {
    /** @returns whether these offsets can never be recorded; `done` is the number of messages recorded in the same run */
    areHopeless(place: Place, offsets: readonly bigint[], done: number): boolean {
      const before = tries.get(placeOf(place));
      const now = new Map(offsets.map((offset) => [offset, (before?.get(offset) ?? 0) + 1]));
      tries.set(placeOf(place), now);
      if (done === 0 && offsets.length > mostFailures) return false;
      return [...now.values()].every((count) => count >= mostTries);
    },
    /** Call when the batch is finished. */
    passed: (place: Place) => void tries.delete(placeOf(place)),
  };
};
