import { expect, test } from 'vitest';
import { announcement } from '../src/process/announce.ts';

const service = {
  baseUrl: 'https://auth.example',
  managementUrl: null,
  demo: null,
  failed: new Promise<string>(() => undefined),
  stop: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

test('only a service without Kafka says what it means to be without; the ready line comes last', () => {
  const said = announcement({ ...service, hasKafka: false }).split('\n');
  expect(said).toHaveLength(2);
  expect(said[0]).toMatch(/^Kafka is not configured \(KAFKA_BROKERS\)/);
  const ready = /^grantbook is ready at https:\/\/auth\.example after [\d.]+ s$/;
  expect(said[1]).toMatch(ready);
  expect(announcement({ ...service, hasKafka: true })).toMatch(ready);
});
