import { expect, test } from 'vitest';
import { announcement } from '../src/process/announce.ts';

const service = {
  baseUrl: 'https://auth.example',
  managementUrl: null,
  demo: null,
  hasOperator: true,
  failed: new Promise<string>(() => undefined),
  stop: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

const local = { host: '127.0.0.1' };

test('only a service without Kafka says what it means to be without; the ready line comes last', () => {
  const said = announcement({ ...service, hasKafka: false }, local).split('\n');
  expect(said).toHaveLength(2);
  expect(said[0]).toMatch(/^Kafka is not configured \(KAFKA_BROKERS\)/);
  const ready = /^grantbook is ready at https:\/\/auth\.example after [\d.]+ s$/;
  expect(said[1]).toMatch(ready);
  expect(announcement({ ...service, hasKafka: true }, local)).toMatch(ready);
});

test('AP-12: as long as there is no operator it says how to create the first one', () => {
  const said = announcement({ ...service, hasKafka: true, hasOperator: false }, local).split('\n');
  expect(said).toEqual([
    expect.stringMatching(/^There is no operator yet\. .*grantbook user create .*--operator/),
    expect.stringMatching(/^grantbook is ready at /),
  ]);
});

test('AP-12: health and metrics that listen on all addresses say so', () => {
  const managed = { ...service, hasKafka: true, managementUrl: 'http://127.0.0.1:9090' };
  expect(announcement(managed, local)).toMatch(/^Health and metrics: +http:\/\/127\.0\.0\.1:9090$/m);
  expect(announcement(managed, { host: '0.0.0.0' })).toMatch(/:9090, and on all other addresses$/m);
});
