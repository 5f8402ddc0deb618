import type { ConsumptionStatus } from './kafka-client.ts';

/** What does not work now. */
export type Trouble = {
  /** When it began, milliseconds since the Unix epoch. */
  readonly since: number;
  /** In words for operators, without secrets. */
  readonly reason: string;
};

/** What the relay says of itself, on this instance. Counts begin at 0 with the process. */
export type RelayStatus = {
  readonly role: 'standby' | 'leading' | 'stuck' | 'stopped';
  /** What keeps events from going out; null while nothing does, and on a standby. */
  readonly trouble: Trouble | null;
  /** Messages that the broker has acknowledged. */
  readonly published: readonly { readonly topic: string; readonly messages: number }[];
  /** Events that were read from the log and are not yet acknowledged. There may be more in the log. */
  readonly waiting: number;
  /** When the log stored the oldest of those (`created`); null when there are none. */
  readonly oldestWaiting: number | null;
  /** Attempts to publish that did not work. */
  readonly failures: number;
  /** When the last of them failed, milliseconds since the Unix epoch. */
  readonly lastFailure: number | null;
};

/** What came of a message of the host platform. A `retry` is no outcome: the message is still under way. */
export const ingestOutcomes = [
  'added',
  'changed',
  'removed',
  'unchanged',
  'outdated',
  'erased',
  'dead-lettered',
] as const;

export type IngestOutcome = (typeof ingestOutcomes)[number];

/** What the ingest says of itself, on this instance. Counts begin at 0 with the process. */
export type IngestStatus = {
  readonly messages: readonly {
    readonly topic: string;
    readonly outcome: IngestOutcome;
    readonly messages: number;
  }[];
  /** How often something was tried again that may work later. */
  readonly retries: number;
  /** Of each consumption that the ingest has begun: most likely one. */
  readonly members: readonly { readonly group: string; readonly consumption: ConsumptionStatus }[];
};

/** Both ways, of an instance that has Kafka. */
export type KafkaStatus = { readonly relay: RelayStatus; readonly ingest: IngestStatus };
