import { ingestOutcomes, type IngestStatus, type KafkaStatus, type RelayStatus } from '../../kafka/status.ts';
import { messagesIn, recordsPaths, sinceOf } from '../../domain/records/expired-messages.ts';
import { counter, gauge, oneOf, only, onlyTime, type Metric } from './metric.ts';

/** Both directions of Kafka; without KAFKA_BROKERS only that it is not configured. */
export const kafkaMetrics = (status: KafkaStatus | null, now: number): readonly Metric[] => [
  gauge('grantbook_kafka_configured', '1 when KAFKA_BROKERS is set.', only(Number(status !== null))),
  ...(status ? [...relayMetrics(status.relay, now), ...ingestMetrics(status.ingest)] : []),
];

const relayMetrics = (relay: RelayStatus, now: number): readonly Metric[] => [
  gauge(
    'grantbook_kafka_relay_leading',
    '1 on the instance that relays.',
    only(Number(relay.role === 'leading')),
  ),
  gauge(
    'grantbook_kafka_relay_healthy',
    '0 when the relay is stuck, or the broker does not accept what it publishes.',
    only(Number(relay.role !== 'stuck' && relay.trouble === null)),
  ),
  counter(
    'grantbook_kafka_relay_messages_total',
    'Messages that the broker has acknowledged.',
    relay.published.map(({ topic, messages }) => ({ labels: { topic }, value: messages })),
  ),
  gauge(
    'grantbook_kafka_relay_waiting_events',
    'Events that were read from the log and are not yet acknowledged.',
    only(relay.waiting),
  ),
  gauge(
    'grantbook_kafka_relay_lag_seconds',
    'Age of the oldest of these events; 0 when there is none.',
    only(relay.oldestWaiting === null ? 0 : Math.max(0, now - relay.oldestWaiting) / 1000),
  ),
  counter(
    'grantbook_kafka_relay_failures_total',
    'Attempts to publish that did not work.',
    only(relay.failures),
  ),
  gauge(
    'grantbook_kafka_relay_last_failure_timestamp_seconds',
    'When the last of them failed.',
    onlyTime(relay.lastFailure),
  ),
];

const memberStates = [
  'joining',
  'reading',
  'unreachable',
  'stopped',
] as const satisfies readonly MemberState[];
type MemberState = IngestStatus['members'][number]['consumption']['state'];

const ingestMetrics = ({ messages, retries, members, expired }: IngestStatus): readonly Metric[] => [
  counter(
    'grantbook_kafka_ingest_messages_total',
    `Messages of the host platform by what came of them (${ingestOutcomes.join(', ')}).`,
    messages.map(({ topic, outcome, messages: value }) => ({ labels: { topic, outcome }, value })),
  ),
  counter('grantbook_kafka_ingest_retries_total', 'Retries after temporary failures.', only(retries)),
  gauge(
    'grantbook_kafka_ingest_lag_messages',
    "Messages of this instance's partitions that are not yet committed.",
    members.flatMap(({ consumption }) =>
      consumption.partitions.flatMap(({ topic, partition, committed, end }) =>
        committed === null || end === null
          ? []
          : [
              {
                labels: { topic, partition: String(partition) },
                value: Math.max(0, Number(end - committed)),
              },
            ],
      ),
    ),
  ),
  gauge(
    'grantbook_kafka_ingest_expired_messages',
    'Messages that expired before they were read, until an operator confirms that a snapshot was imported; the same on every instance.',
    eachKind(expired, (ranges) => Number(messagesIn(ranges))),
  ),
  gauge(
    'grantbook_kafka_ingest_expired_timestamp_seconds',
    'When the first of them was found; absent while none is missing.',
    eachKind(expired, (ranges) => sinceOf(ranges)).flatMap(({ labels, value }) =>
      value === null ? [] : [{ labels, value: value / 1000 }],
    ),
  ),
  gauge(
    'grantbook_kafka_ingest_member_state',
    '1 for the state that a member of the group is in.',
    members.flatMap(({ group, consumption }) => oneOf(memberStates, consumption.state, 'state', { group })),
  ),
];

const eachKind = <V>(expired: IngestStatus['expired'], of: (ranges: IngestStatus['expired']) => V) =>
  recordsPaths.map((records) => ({
    labels: { records },
    value: of(expired.filter((range) => range.records === records)),
  }));
