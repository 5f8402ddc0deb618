/** The port to the broker: only `src/kafka/kafkajs` knows the library; another needs these three methods. */
export type KafkaClient = {
  /**
   * Sends messages in order. Resolves once every in-sync replica has all of them (`acks=all`). Messages of one
   * partition are sent one request after the other, so a reader of a partition sees them in this order, also across
   * calls. After a rejection any part may have been written, in order and from the front of each partition: send all of
   * it again.
   * @throws KafkaUnavailable the broker cannot be reached, or does not accept it now: try again
   * @throws MessageRefused a message that this broker will never accept
   */
  publish(messages: readonly MessageToPublish[], signal: AbortSignal): Promise<void>;
  /**
   * Reads topics as a member of a consumer group, from the oldest message that the group has not committed. An offset
   * is committed only after `handle` has resolved for everything before it; rejected batches are passed to it again,
   * after a growing pause, and nothing is skipped. Continues until it is stopped, whatever happens to the broker.
   */
  consume(options: ConsumeOptions): Consumption;
  /** Waits for pending work, up to a time limit. The client cannot be used afterwards. */
  close(): Promise<void>;
};

export type MessageToPublish = {
  readonly topic: string;
  /** Messages with the same key go to the same partition: murmur2 of its bytes, like the Java client. */
  readonly key: string | Buffer | null;
  /** Null is a tombstone. */
  readonly value: string | Buffer | null;
  /** A list for a name that occurs more than once. */
  readonly headers: Readonly<Record<string, string | Buffer | readonly Buffer[]>>;
};

export type ReceivedMessage = {
  readonly offset: bigint;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** In the order of the message; a name may occur more than once. */
  readonly headers: readonly (readonly [name: string, value: Buffer])[];
  /** Set by the message's producer or the broker; milliseconds since the Unix epoch. */
  readonly timestamp: number;
};

export type ReceivedBatch = {
  readonly topic: string;
  readonly partition: number;
  /** At least one, ordered by offset. */
  readonly messages: readonly ReceivedMessage[];
  /** The offset that the partition's next message will get, as reported with this batch. */
  readonly end: bigint;
};

export type ConsumeOptions = {
  readonly group: string;
  readonly topics: readonly string[];
  /** The maximum number of messages in one call of `handle`. */
  readonly batchSize: number;
  /**
   * Batches of one partition are sequential; those of several partitions may be concurrent. `signal` is aborted when
   * the partition moves to another member, and when the consumption stops: uncommitted messages are then delivered
   * again, here or there.
   */
  readonly handle: (batch: ReceivedBatch, signal: AbortSignal) => Promise<void>;
};

export type Consumption = {
  readonly status: () => ConsumptionStatus;
  /** Finishes and commits pending work, and leaves the group. */
  stop(): Promise<void>;
};

export type ConsumptionStatus = {
  readonly state: 'joining' | 'reading' | 'unreachable' | 'stopped';
  /** When this state began, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** The error of the last attempt, without secrets; null after a success. */
  readonly trouble: string | null;
  /** The partitions that this member reads now. */
  readonly partitions: readonly {
    readonly topic: string;
    readonly partition: number;
    /** The next offset to commit; null before the first batch. */
    readonly committed: bigint | null;
    readonly end: bigint | null;
  }[];
};

/** The broker cannot be reached, or reported a temporary error. */
export class KafkaUnavailable extends Error {
  override readonly name = 'KafkaUnavailable';
}

/** The broker will never accept it, for example because of its size. A missing topic may still be created. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused';
}
