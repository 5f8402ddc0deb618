import { eachRecord } from '../domain/each-record.ts';
import type { RecordResource } from '../domain/record-resources.ts';

/** The names of all topics, from the settings. */
export type TopicNames = {
  /** Written by the relay. */
  readonly out: { readonly activations: string; readonly grants: string; readonly addons: string };
  /** Written by the host platform, read by the ingest. */
  readonly in: { readonly [K in RecordResource['key']]: string };
  /** Messages of the host platform that cannot be used. */
  readonly deadLetter: string;
};

export const defaultTopicNames: TopicNames = {
  out: {
    activations: 'grantbook.activations',
    grants: 'grantbook.grants',
    addons: 'grantbook.addons',
  },
  in: eachRecord('key', ({ topic }) => topic),
  deadLetter: 'host.dead-letter',
};

/** A topic as it should be. */
export type WantedTopic = {
  readonly name: string;
  readonly direction: 'out' | 'in';
  /** How long messages are kept; null: for ever. */
  readonly retentionMs: number | null;
};

/** A topic as it is. */
export type TopicReport = {
  readonly name: string;
  readonly state: 'there' | 'made' | 'missing';
  /** Null when it is missing. */
  readonly partitions: number | null;
  /** Null: for ever; undefined when it is missing, or its settings may not be read. */
  readonly retentionMs: number | null | undefined;
  /** What breaks a promise, each with what to do. A topic that is there is never changed. */
  readonly problems: readonly string[];
  /** What is other than it would be made, and may be meant so. */
  readonly notes: readonly string[];
};

/** The second, smaller port to the broker: its topics. */
export type KafkaTopics = {
  /**
   * Looks at every topic, and makes those that are missing unless that is switched off.
   * @throws KafkaUnavailable
   */
  ensure(): Promise<readonly TopicReport[]>;
  /**
   * Looks only.
   * @throws KafkaUnavailable
   */
  inspect(): Promise<readonly TopicReport[]>;
};
