/**
 * The port to the broker. Only `src/kafka/kafkajs` knows the library behind it; another client takes its place by these
 * three methods.
 */
export type KafkaClient = {
  /**
   * Sends messages in order. Resolves once every in-sync replica has all of them (`acks=all`). Messages of one partition are
   * sent one request after the other, so what a reader sees of a partition is in the order given, also across calls.
   * After a rejection any part may have been written, in order and from the front of each partition: send all of it again.
   * @throws KafkaUnavailable the broker cannot be reached, or does not take it now: try again
   * @throws MessageRefused a message that this broker will never take
   */
  publish(messages: readonly MessageToPublish[], signal: AbortSignal): Promise<void>;
  /**
   * Reads topics as a member of a consumer group, from the oldest message that the group has not committed. An offset is
   * committed only after `handle` has resolved for everything before it; what it rejects is given to it again, after a
   * growing pause, and nothing is skipped. Goes on until it is stopped, whatever happens to the broker.
   */
  consume(options: ConsumeOptions): Consumption;
  /** Waits for what is under way, a bounded time. The client cannot be used afterwards. */
  close(): Promise<void>;
};

export type MessageToPublish = {
  readonly topic: string;
  /** Messages with the same key go to the same partition: murmur2 of its bytes, as the Java client chooses. */
  readonly key: string | Buffer | null;
  /** Null is a tombstone. */
  readonly value: string | Buffer | null;
  /** A list where a name comes more than once. */
  readonly headers: Readonly<Record<string, string | Buffer | readonly Buffer[]>>;
};

export type ReceivedMessage = {
  readonly offset: bigint;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** In the order of the message; a name may come more than once. */
  readonly headers: readonly (readonly [name: string, value: Buffer])[];
  /** Of the message, as its producer or the broker set it; milliseconds since the Unix epoch. */
  readonly timestamp: number;
};

export type ReceivedBatch = {
  readonly topic: string;
  readonly partition: number;
  /** At least one, by offset. */
  readonly messages: readonly ReceivedMessage[];
  /** The offset that the partition's next message will get, as the broker said with this batch. */
  readonly end: bigint;
};

export type ConsumeOptions = {
  readonly group: string;
  readonly topics: readonly string[];
  /** At most so many messages in one call of `handle`. */
  readonly batchSize: number;
  /**
   * Batches of one partition come one after the other; those of several partitions may come side by side. `signal` is aborted
   * when the partition belongs to another member now, and when the consumption stops: what is not committed then comes again,
   * here or there.
   */
  readonly handle: (batch: ReceivedBatch, signal: AbortSignal) => Promise<void>;
};

export type Consumption = {
  readonly status: () => ConsumptionStatus;
  /** Lets what is under way finish, commits it, and leaves the group. */
  stop(): Promise<void>;
};

export type ConsumptionStatus = {
  readonly state: 'joining' | 'reading' | 'unreachable' | 'stopped';
  /** When it came into this state, milliseconds since the Unix epoch. */
  readonly since: number;
  /** What the last attempt ran into, without secrets; null while all is well. */
  readonly trouble: string | null;
  /** The partitions that this member reads now. */
  readonly partitions: readonly {
    readonly topic: string;
    readonly partition: number;
    /** The next offset to be committed; null before the first batch. */
    readonly committed: bigint | null;
    readonly end: bigint | null;
  }[];
};

/** The broker cannot be reached, or answered that it cannot now. */
export class KafkaUnavailable extends Error {
  override readonly name = 'KafkaUnavailable';
}

/** The broker will never take this message, for example because it is too large. A topic that is not there may be made yet. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused';
}
