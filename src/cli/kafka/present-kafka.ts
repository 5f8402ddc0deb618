import type { GroupDescription } from '../../kafka/kafkajs/describe-group.ts';
import type { TopicReport } from '../../kafka/topics.ts';
import { table, lines, type Answer, type Text } from '../base/answer.ts';
import { positionText } from '../../audit/timeline/position-text.ts';
import { presentTopic } from './present-topic.ts';
import type { Backlog } from './relay-backlog.ts';

export type KafkaFacts = {
  readonly brokers: readonly string[];
  readonly topics: readonly TopicReport[];
  readonly relay: Backlog;
  /** `deadLetters`: number of messages in the dead-letter topic; null when the topic is missing. */
  readonly ingest: GroupDescription & { readonly name: string; readonly deadLetters: bigint | null };
};

/** Exit code 1 when a topic is missing. Offsets are strings, because they have 64 bits. */
export const presentKafka = (facts: KafkaFacts, now: number): Answer => {
  const { brokers, topics, relay, ingest } = facts;
  return {
    exitCode: topics.some(({ state }) => state === 'missing') ? 1 : 0,
    json: {
      brokers,
      topics: topics.map(presentTopic),
      relay: {
        checkpoint: relay.checkpoint && positionText(relay.checkpoint),
        behind: relay.events,
        behind_is_all: relay.isAll,
        oldest_age: age(relay, now),
      },
      ingest: {
        group: ingest.name,
        state: ingest.state,
        members: ingest.members,
        lag: Number(totalLag(ingest)),
        partitions: ingest.partitions.map(({ topic, partition, committed, end, lag }) => ({
          topic,
          partition,
          committed: committed === null ? null : String(committed),
          end: String(end),
          lag: Number(lag),
        })),
        dead_letters: ingest.deadLetters === null ? null : Number(ingest.deadLetters),
      },
    },
    text: lines(
      topicTable(topics),
      ...remarks(topics),
      relayLine(relay, now),
      `Ingest: group ${ingest.name} ${ingest.state ?? '(state not readable)'}, ${counted(ingest.members, 'member')}, ${counted(totalLag(ingest), 'message')} behind.`,
      ...(ingest.partitions.length > 0 ? [lagTable(ingest)] : []),
      ingest.deadLetters === null ? 'No topic for dead letters.' : `Dead letters: ${ingest.deadLetters}.`,
    ),
  };
};

const totalLag = ({ partitions }: GroupDescription): bigint =>
  partitions.reduce((sum, { lag }) => sum + lag, 0n);

const counted = (count: number | bigint, what: string): string =>
  `${count} ${what}${Number(count) === 1 ? '' : 's'}`;

/** In seconds. */
const age = ({ oldest }: Backlog, now: number): number | null =>
  oldest === null ? null : Math.max(0, Math.round((now - oldest) / 1000));

const relayLine = (relay: Backlog, now: number): string => {
  if (relay.events === 0 && relay.isAll) return 'Relay: everything in the log is published.';
  const count = relay.isAll ? `${relay.events}` : `more than ${relay.events}`;
  const from = relay.checkpoint ? '' : ' (nothing was published yet)';
  return `Relay: ${count} ${count === '1' ? 'event' : 'events'} behind, the oldest for ${age(relay, now) ?? 0} s${from}.`;
};

const DAY = 86_400_000;

const retention = ({ retentionMs }: TopicReport): string =>
  retentionMs === undefined
    ? ''
    : retentionMs === null
      ? 'permanently'
      : `${Math.floor(retentionMs / DAY)} days`;

const topicTable = (topics: readonly TopicReport[]): Text =>
  table(
    ['topic', 'state', 'partitions', 'kept'],
    topics.map((topic) => [topic.name, topic.state, String(topic.partitions ?? ''), retention(topic)]),
  );

const remarks = (topics: readonly TopicReport[]): readonly string[] =>
  topics.flatMap(({ name, problems, notes }) => [
    ...problems.map((problem) => `${name}: ${problem}`),
    ...notes.map((note) => `${name}: note: ${note}`),
  ]);

const lagTable = ({ partitions }: GroupDescription): Text =>
  table(
    ['topic', 'partition', 'committed', 'end', 'behind'],
    partitions.map(({ topic, partition, committed, end, lag }) => [
      topic,
      String(partition),
      String(committed ?? ''),
      String(end),
      String(lag),
    ]),
  );
