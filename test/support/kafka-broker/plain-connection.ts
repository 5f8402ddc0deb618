import type { KafkaConnection } from '../../../src/kafka/kafkajs/connection.ts';
import { watchedLogger } from '../trouble/watched-lines.ts';

/** Session timeout of group members in tests: a dead member is detected soon, but a busy machine causes no timeout. */
export const testSessionMs = 4_000;

/** Without TLS, and without logging. */
export const plainConnection = (brokers: readonly string[]): KafkaConnection => ({
  brokers,
  clientId: 'grantbook-test',
  tls: null,
  sasl: null,
  sessionMs: testSessionMs,
  tryMs: 4_000,
  logger: watchedLogger(),
});
