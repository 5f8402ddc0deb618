import { Kafka, logLevel } from 'kafkajs';
import { expect, test } from 'vitest';
import { brokers, describeWithBroker } from '../../support/kafka-broker/with-broker.ts';

describeWithBroker('the broker of the tests', () => {
  test('is a real one that kafkajs understands, and makes topics only when told to', async () => {
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
