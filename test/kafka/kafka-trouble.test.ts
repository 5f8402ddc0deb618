import { expect, test } from 'vitest';
import { kafkaTrouble } from '../../src/kafka/kafka-trouble.ts';
import { kafkaStatus } from '../support/kafka-status.ts';

const since = Date.parse('2026-08-01T10:00:00Z');
const unreachable = { since, reason: 'unreachable' };

test('nothing is wrong while both ways work, also on a standby and while joining', () => {
  expect(kafkaTrouble(kafkaStatus({}))).toBeNull();
  expect(kafkaTrouble(kafkaStatus({ relay: { role: 'standby', waiting: 0 } }))).toBeNull();
  expect(
    kafkaTrouble(kafkaStatus({ relay: { waiting: 100 }, consumption: { state: 'joining' } })),
  ).toBeNull();
});

test('what is wrong is said in words, with since when and how much waits', () => {
  expect(kafkaTrouble(kafkaStatus({ relay: { trouble: unreachable, waiting: 120 } }))).toBe(
    'unreachable since 2026-08-01T10:00:00.000Z; 120 events wait',
  );
  expect(kafkaTrouble(kafkaStatus({ relay: { trouble: unreachable, waiting: 1 } }))).toMatch(
    /; 1 event waits$/,
  );
  expect(kafkaTrouble(kafkaStatus({ relay: { role: 'stuck', waiting: 5 } }))).toBe(
    'the relay is stuck; 5 events wait',
  );
});

test('where brokers are is not told: readiness is public', () => {
  const trouble = { since, reason: 'Connection error: connect ECONNREFUSED 10.1.2.3:9092' };
  expect(kafkaTrouble(kafkaStatus({ relay: { trouble } }))).toBe(
    'Connection error: connect ECONNREFUSED a broker since 2026-08-01T10:00:00.000Z',
  );
});

test('records that do not come in are in it, too', () => {
  const consumption = { state: 'unreachable', since } as const;
  expect(kafkaTrouble(kafkaStatus({ relay: { trouble: unreachable, waiting: 0 }, consumption }))).toBe(
    'unreachable since 2026-08-01T10:00:00.000Z; records of the group grantbook: unreachable since 2026-08-01T10:00:00.000Z',
  );
  expect(kafkaTrouble(kafkaStatus({ consumption: { trouble: 'a batch is rejected', since } }))).toBe(
    'records of the group grantbook: a batch is rejected since 2026-08-01T10:00:00.000Z',
  );
});
