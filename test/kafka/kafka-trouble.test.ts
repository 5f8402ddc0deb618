import { expect, test } from 'vitest';
import { kafkaTrouble } from '../../src/kafka/status.ts';
import { kafkaStatus } from '../support/log/kafka-status.ts';

const since = Date.parse('2026-08-01T10:00:00Z');
const unreachable = { since, reason: 'Kafka does not accept messages for grants: no answer' };

test('nothing is wrong while both ways work, also on a standby and while joining', () => {
  expect(kafkaTrouble(kafkaStatus({}))).toBeNull();
  expect(kafkaTrouble(kafkaStatus({ relay: { role: 'standby', waiting: 0 } }))).toBeNull();
  expect(
    kafkaTrouble(kafkaStatus({ relay: { waiting: 100 }, consumption: { state: 'joining' } })),
  ).toBeNull();
});

test('what is wrong is said in words, with since when and how much waits', () => {
  expect(kafkaTrouble(kafkaStatus({ relay: { trouble: unreachable, waiting: 120 } }))).toBe(
    'does not work since 2026-08-01T10:00:00.000Z; 120 events wait',
  );
  expect(kafkaTrouble(kafkaStatus({ relay: { trouble: unreachable, waiting: 1 } }))).toMatch(
    /; 1 event waits$/,
  );
  expect(kafkaTrouble(kafkaStatus({ relay: { role: 'stuck', waiting: 5 } }))).toBe(
    'the relay is stuck; 5 events wait',
  );
});

test.each([
  ['Connection error: connect ECONNREFUSED 10.1.2.3:9092', 'does not work (ECONNREFUSED)'],
  ['Connection error: connect ECONNREFUSED fd00::7:9092', 'does not work (ECONNREFUSED)'],
  ['Connection error: getaddrinfo ENOTFOUND kafka-1.internal', 'does not work (ENOTFOUND)'],
  [
    "Connection error: Hostname/IP does not match certificate's altnames: Host: kafka-1. is not in the cert's altnames: DNS:b.internal",
    'does not work',
  ],
  ['NOT_LEADER_FOR_PARTITION: This server is not the leader', 'does not work (NOT_LEADER_FOR_PARTITION)'],
  ['kafka-1.internal:9092 does not answer', 'does not work'],
  [
    'a batch of host.profiles/0 is rejected: KafkaUnavailable',
    'a batch of host.profiles/0 is rejected: KafkaUnavailable',
  ],
])('where brokers are is not told, for readiness is public: %s', (reason, told) => {
  expect(kafkaTrouble(kafkaStatus({ relay: { trouble: { since, reason } } }))).toBe(
    `${told} since 2026-08-01T10:00:00.000Z`,
  );
});

test('FX-72: messages that expired unread are trouble until an operator confirms, also without a broker or a host name', () => {
  const range = { records: 'profiles', topic: 'host.profiles', from: 5n } as const;
  const expired = [
    { ...range, partition: 3, until: 8n, at: since + 1_000 },
    { ...range, partition: 4, until: 6n, at: since },
  ];
  expect(kafkaTrouble(kafkaStatus({ expired }))).toBe(
    '4 messages of profiles expired unread since 2026-08-01T10:00:00.000Z: see grantbook expired-messages list',
  );
});

test('records that do not come in are in it, too', () => {
  const consumption = { state: 'unreachable', since } as const;
  expect(kafkaTrouble(kafkaStatus({ relay: { trouble: unreachable, waiting: 0 }, consumption }))).toBe(
    'does not work since 2026-08-01T10:00:00.000Z; records of the group grantbook: does not work since 2026-08-01T10:00:00.000Z',
  );
  expect(
    kafkaTrouble(kafkaStatus({ consumption: { trouble: 'a batch of a/0 is rejected: Failure', since } })),
  ).toBe(
    'records of the group grantbook: a batch of a/0 is rejected: Failure since 2026-08-01T10:00:00.000Z',
  );
});
