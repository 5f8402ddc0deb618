import { pino } from 'pino';
import type { KafkaConnection } from '../../../src/kafka/kafkajs/connection.ts';

/** Of members of groups in tests: a dead one is missed soon, a busy machine is none. */
export const testSessionMs = 4_000;

/** Plain text, and silent. */
export const plainConnection = (brokers: readonly string[]): KafkaConnection => ({
  brokers,
  clientId: 'grantbook-test',
  tls: null,
  sasl: null,
  sessionMs: testSessionMs,
  tryMs: 4_000,
  logger: pino({ level: 'silent' }),
});
