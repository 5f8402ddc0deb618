import type { ConsumptionStatus } from './kafka-client.ts';

export type Trouble = {
  /** When it began, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** In words for operators, without secrets. */
  readonly reason: string;
};

export type RelayStatus = {
  readonly role: 'standby' | 'leading' | 'stuck' | 'stopped';
  /** The problem that prevents publishing; null without one, and on a standby. */
  readonly trouble: Trouble | null;
  readonly published: readonly { readonly topic: string; readonly messages: number }[];
  /** Events that were read from the log but not yet acknowledged. The log may have more. */
  readonly waiting: number;
  /** When the log stored the oldest of them (`created`); null when there are none. */
  readonly oldestWaiting: number | null;
  readonly failures: number;
  /** When the last one failed, in milliseconds since the Unix epoch. */
  readonly lastFailure: number | null;
};

/** The outcome of a message from the host platform. A `retry` is no outcome: the message is still pending. */
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

export type IngestStatus = {
  readonly messages: readonly {
    readonly topic: string;
    readonly outcome: IngestOutcome;
    readonly messages: number;
  }[];
  /** How often an operation was retried. */
  readonly retries: number;
  readonly members: readonly { readonly group: string; readonly consumption: ConsumptionStatus }[];
};

export type KafkaStatus = { readonly relay: RelayStatus; readonly ingest: IngestStatus };
