/** The port to the broker: only `src/kafka/kafkajs` knows the library; another needs these three methods. */
export type KafkaClient = {
  /**
   * In order; resolves once every in-sync replica has all (`acks=all`). After a rejection a front part of each partition may be written: send
   * all again. @throws KafkaUnavailable: try again; MessageRefused: never accepted
   */
  publish(messages: readonly MessageToPublish[], signal: AbortSignal): Promise<void>;
  /**
   * As a group's member, from the oldest message that is not committed. Offsets follow `handle`; rejected batches come again, after
   * growing pauses. Continues until stopped.
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
  /** In order within a partition. `signal` is aborted when the partition moves or consumption stops; uncommitted messages come again. */
  readonly handle: (batch: ReceivedBatch, signal: AbortSignal) => Promise<void>;
  /** Called before a partition is read on after messages that it has no longer; until it resolves, and again after a rejection, nothing is. */
  readonly expired?: (gap: ExpiredGap) => Promise<void>;
};

/** From the next offset that was to be read (null: none is committed) up to the partition's first one (exclusive). */
export type ExpiredGap = {
  readonly topic: string;
  readonly partition: number;
  readonly from: bigint | null;
  readonly until: bigint;
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
  readonly partitions: readonly {
    readonly topic: string;
    readonly partition: number;
    /** The next offset to commit; null before the first batch. */
    readonly committed: bigint | null;
    readonly end: bigint | null;
  }[];
};

/** The port to read any part of a topic, without a group: nothing is committed, and no rebalance delays it. */
export type TopicReader = {
  /** By partition, in order; null when the topic does not exist. @throws KafkaUnavailable */
  bounds(topic: string): Promise<readonly PartitionBounds[] | null>;
  /** The messages from one offset up to another (exclusive), in order, as far as they exist. @throws KafkaUnavailable */
  read(range: OffsetRange): AsyncIterable<ReceivedMessage>;
  close(): void;
};

export type PartitionBounds = {
  readonly partition: number;
  readonly first: bigint;
  readonly end: bigint;
};

export type OffsetRange = {
  readonly topic: string;
  readonly partition: number;
  readonly from: bigint;
  readonly until: bigint;
};

/** The broker cannot be reached, or reported a temporary error. */
export class KafkaUnavailable extends Error {
  override readonly name = 'KafkaUnavailable';
}

/** The broker will never accept it, for example because of its size. A missing topic may still be created. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused';
}
