import type { GroupDescription } from '../../kafka/kafkajs/describe-group.ts';
import type { TopicReport } from '../../kafka/topics.ts';
import { timeOf } from '../../common/iso-time.ts';
import { amount, table, lines, type Answer, type Text } from '../base/answer.ts';
import { positionText } from '../../audit/timeline/position-text.ts';
import { attentionOf, keptOf, lagOf, waitingOf } from './attention.ts';
import { type KafkaFacts, type LogFacts, presentTopic } from './kafka-facts.ts';

/** What needs attention comes first. Exit code 1 when a topic is missing. Offsets are strings, because they have 64 bits. */
export const presentKafka = (facts: KafkaFacts, now: number): Answer => {
  const { brokers, topics, relay, ingest } = facts;
  const attention = attentionOf(facts, now);
  const [kept, waiting] = [keptOf(facts), waitingOf(facts)];
  return {
    exitCode: topics.some(({ state }) => state === 'missing') ? 1 : 0,
    json: {
      attention,
      brokers,
      topics: topics.map(presentTopic),
      relay: {
        checkpoint: relay.checkpoint && positionText(relay.checkpoint),
        behind: relay.events,
        behind_is_all: relay.isAll,
        oldest_age: age(relay, now),
        leader: facts.relayLeader,
      },
      ingest: {
        group: ingest.name,
        state: ingest.state,
        members: ingest.members,
        lag: Number(lagOf(ingest.partitions)),
        expired: facts.expired.map(({ records, topic, partition, from, until, at }) => ({
          records,
          topic,
          partition,
          missing: Number(until - from),
          found_at: timeOf(at),
        })),
        partitions: ingest.partitions.map(({ topic, partition, committed, first, end, lag }) => ({
          topic,
          partition,
          committed: committed === null ? null : String(committed),
          first: String(first),
          end: String(end),
          lag: Number(lag),
        })),
        dead_letters: kept === null ? null : Number(kept),
        dead_letters_waiting: waiting === null ? null : Number(waiting),
      },
      parked: facts.parked,
    },
    text: lines(
      attention.length === 0 ? 'Nothing needs attention.' : 'Needs attention:',
      ...attention.map(({ about, found }) => `  ${about}: ${found}`),
      '',
      topicTable(topics),
      ...notes(topics),
      relayLine(relay, now),
      `Ingest: group ${ingest.name} ${ingest.state ?? '(state not readable)'}, ${amount(ingest.members, 'member')}, ${amount(lagOf(ingest.partitions), 'message')} behind.`,
      ...(ingest.partitions.length > 0 ? [lagTable(ingest)] : []),
      kept === null ? 'No topic for dead letters.' : `Dead letters: ${kept}. Not resent: ${waiting ?? 0}.`,
    ),
  };
};

/** In seconds. */
const age = ({ oldest }: LogFacts['relay'], now: number): number | null =>
  oldest === null ? null : Math.max(0, Math.round((now - oldest) / 1000));

const relayLine = (relay: LogFacts['relay'], now: number): string => {
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

const notes = (topics: readonly TopicReport[]): readonly string[] =>
  topics.flatMap(({ name, notes: all }) => all.map((note) => `${name}: note: ${note}`));

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
