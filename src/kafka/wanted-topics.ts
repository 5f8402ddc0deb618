import { recordResources } from '../domain/records/record-resources.ts';
import type { TopicNames, WantedTopic } from './topics.ts';

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
