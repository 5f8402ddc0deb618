import { amount } from '../base/answer.ts';
import { countResent } from '../../domain/records/dead-letters.ts';
import { expiredInWords } from '../../kafka/status.ts';
import type { KafkaFacts } from './kafka-facts.ts';

export type Attention = {
  readonly about: 'topic' | 'relay' | 'ingest' | 'dead-letters' | 'parked';
  readonly found: string;
};

/** As the alert (docs/alerts.yaml): a busy relay is always some events behind. In milliseconds. */
const lateAfter = 60_000;

/** What an operator should look at, with what to do; empty when everything is as it should be. */
export const attentionOf = (facts: KafkaFacts, now: number): readonly Attention[] => [
  ...facts.topics.flatMap(({ name, problems }) =>
    problems.map((problem) => ({ about: 'topic', found: `${name}: ${problem}` }) as const),
  ),
  ...relay(facts, now).map((found) => ({ about: 'relay', found }) as const),
  ...ingest(facts).map((found) => ({ about: 'ingest', found }) as const),
  ...deadLetters(facts),
  ...parked(facts),
];

const relay = ({ relay: { events, oldest, isAll }, relayLeader }: KafkaFacts, now: number) => {
  const late = oldest !== null && now - oldest > lateAfter;
  return [
    ...(relayLeader === null
      ? ['no instance publishes: start one, or see the log of kafka-relay (grantbook doctor)']
      : []),
    ...(late
      ? [
          `${isAll ? '' : 'more than '}${amount(events, 'event')} behind, the oldest for ${Math.round((now - oldest) / 1000)} s`,
        ]
      : []),
  ];
};

const ingest = ({ ingest: { name, members, state, partitions }, expired }: KafkaFacts) => {
  const lag = lagOf(partitions);
  return [
    ...expiredInWords(expired).map((found) => `${found}; ${afterExpiry}`),
    ...expiredNow(partitions),
    ...(members === 0 && state !== null
      ? [`no instance reads as group ${name}: start one, or see its log`]
      : []),
    ...(lag > 0n ? [`${amount(lag, 'message')} behind`] : []),
  ];
};

export const afterExpiry =
  'import a snapshot of these records, then confirm it: grantbook expired-messages confirm RECORDS';

/** What no instance has met yet: without a committed offset, all that the partition no longer has. */
export const expiredNow = (partitions: KafkaFacts['ingest']['partitions']): readonly string[] =>
  partitions.flatMap(({ topic, partition, committed, first }) => {
    const next = committed ?? 0n;
    return first > next ? [`${topic}/${partition}: ${amount(first - next, 'message')} expired unread`] : [];
  });

const deadLetters = (facts: KafkaFacts): readonly Attention[] => {
  const waiting = waitingOf(facts) ?? 0n;
  return waiting > 0n
    ? [
        {
          about: 'dead-letters',
          found: `${waiting} not resent: grantbook kafka dead-letters list --state waiting`,
        },
      ]
    : [];
};

const parked = ({ parked: keys }: KafkaFacts): readonly Attention[] =>
  keys > 0
    ? [{ about: 'parked', found: `${amount(keys, 'key')} with parked events: grantbook parked list` }]
    : [];

export const lagOf = (partitions: KafkaFacts['ingest']['partitions']): bigint =>
  partitions.reduce((sum, { lag }) => sum + lag, 0n);

/** All dead letters that are kept; null when their topic is missing. */
export const keptOf = ({ deadLetters: { kept } }: Pick<KafkaFacts, 'deadLetters'>): bigint | null =>
  kept && kept.reduce((sum, { first, end }) => sum + end - first, 0n);

/** Those that were not resent. */
export const waitingOf = (facts: Pick<KafkaFacts, 'deadLetters' | 'resent'>): bigint | null => {
  const [all, { topic, kept }] = [keptOf(facts), facts.deadLetters];
  return all === null ? null : all - BigInt(countResent(facts.resent, topic, kept ?? []));
};
