import { eachRecord } from '../domain/records/each-record.ts';
import { type RecordResource, recordResources } from '../domain/records/record-resources.ts';

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

const DAY = 86_400_000;

/**
 * Activations, add-ons and records are kept permanently, for new consumers; grants until no token is valid, and a month. Dead letters hold
 * personal data: a month.
 */
export const wantedTopics = (
  { out, in: into, deadLetter }: TopicNames,
  grantSeconds: number,
): readonly WantedTopic[] => [
  { name: out.activations, direction: 'out', retentionMs: null },
  { name: out.grants, direction: 'out', retentionMs: grantSeconds * 1000 + 35 * DAY },
  { name: out.addons, direction: 'out', retentionMs: null },
  ...recordResources.map(({ key }) => ({ name: into[key], direction: 'in', retentionMs: null }) as const),
  { name: deadLetter, direction: 'out', retentionMs: 30 * DAY },
];

/** None is compacted: that drops tombstones after a day, and an ingest that was down longer would miss removals. */
export const settingsOf = (wanted: WantedTopic, replicas: number): Readonly<Record<string, string>> => ({
  'cleanup.policy': 'delete',
  'retention.ms': String(wanted.retentionMs ?? -1),
  'retention.bytes': '-1',
  'min.insync.replicas': String(replicas >= 3 ? 2 : 1),
  'compression.type': 'producer',
});
