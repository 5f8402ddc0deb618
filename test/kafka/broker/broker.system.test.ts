import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Kafka, logLevel } from 'kafkajs';
import { expect, test } from 'vitest';
import { startKafkaBroker } from '../../support/kafka-broker/start-broker.ts';
import { brokers, describeWithBroker } from '../../support/kafka-broker/with-broker.ts';

describeWithBroker('the broker of the tests', () => {
  test('is a real one that kafkajs understands, and makes topics only when asked to', async () => {
    const admin = new Kafka({ brokers: [...brokers()], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    try {
      expect((await admin.describeCluster()).brokers).toHaveLength(1);
      await expect(admin.fetchTopicMetadata({ topics: ['never.made'] })).rejects.toThrow(
        'does not host this topic',
      );
    } finally {
      await admin.disconnect();
    }
  });
});

test('a port where something else listens is not taken for a broker of ours', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  try {
    await expect(startKafkaBroker({ port })).rejects.toThrow(`Something else listens on port ${port}`);
  } finally {
    other.close();
  }
});
