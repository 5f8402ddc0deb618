import { recordResources } from '../domain/record-resources.ts';
import type { TopicNames, WantedTopic } from './topics.ts';

const DAY = 86_400_000;

/**
 * What there should be. Activations and add-ons, and the records of the host platform, are kept for ever: who joins later reads
 * them from the beginning. Messages about a grant are kept until no token of it can live any more, and a month to catch up.
 * Dead letters hold personal data as it came, so they go after a month.
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

/**
 * The settings that a topic is made with. Nothing is compacted, also of what comes in: a compacted topic forgets removals after a
 * day, and an ingest that was away longer would never hear of them.
 */
export const settingsOf = (wanted: WantedTopic, replicas: number): Readonly<Record<string, string>> => ({
  'cleanup.policy': 'delete',
  'retention.ms': String(wanted.retentionMs ?? -1),
  'retention.bytes': '-1',
  'min.insync.replicas': String(replicas >= 3 ? 2 : 1),
  'compression.type': 'producer',
});
