import { eachRecord } from '../domain/records/each-record.ts';
import type { RecordResource } from '../domain/records/record-resources.ts';

export type TopicNames = {
  /** Written by the relay. */
  readonly out: { readonly activations: string; readonly grants: string; readonly addons: string };
  /** Written by the host platform, read by the ingest. */
  readonly in: { readonly [K in RecordResource['key']]: string };
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

export type WantedTopic = {
  readonly name: string;
  readonly direction: 'out' | 'in';
  /** How long messages are kept; null: forever. */
  readonly retentionMs: number | null;
};

export type TopicReport = {
  readonly name: string;
  readonly state: 'there' | 'made' | 'missing';
  /** Null when it is missing. */
  readonly partitions: number | null;
  /** Null: forever; undefined when the topic is missing, or its settings are not readable. */
  readonly retentionMs: number | null | undefined;
  /** Differences that break a promise, each with the remedy. An existing topic is never changed. */
  readonly problems: readonly string[];
  /** Differences from the defaults that may be intended. */
  readonly notes: readonly string[];
};

/** The second, smaller port to the broker: for its topics. */
export type KafkaTopics = {
  /** Checks every topic, and creates missing ones if allowed. @throws KafkaUnavailable */
  ensure(): Promise<readonly TopicReport[]>;
  /** Checks every topic without creating any. @throws KafkaUnavailable */
  inspect(): Promise<readonly TopicReport[]>;
};
