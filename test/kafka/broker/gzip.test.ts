import { CompressionTypes, Kafka, logLevel } from 'kafkajs';
import { expect, test, vi } from 'vitest';
import { mostUnpacked } from '../../../src/kafka/kafkajs/gzip.ts';
import { newName, newTopic, readAll, testClient, text } from '../../support/kafka-broker/test-client.ts';
import { brokers, describeWithBroker } from '../../support/kafka-broker/with-broker.ts';

const sendPacked = async (topic: string, values: readonly Buffer[]): Promise<void> => {
  const producer = new Kafka({ brokers: [...brokers()], logLevel: logLevel.NOTHING }).producer();
  await producer.connect();
  const messages = values.map((value) => ({ key: 'k', value }));
  await producer.send({ topic, compression: CompressionTypes.GZIP, messages });
  await producer.disconnect();
};

describeWithBroker('what a producer packed with gzip', () => {
  test('is read; a batch that would fill the memory stops its topic with a word, and not the process', async () => {
    const [usual, bomb] = [await newTopic(), await newTopic()];
    await sendPacked(usual, [Buffer.from('one'), Buffer.from('two')]);
    await sendPacked(bomb, [Buffer.alloc(mostUnpacked)]);
    const client = testClient();
    const read = readAll(client, [usual]);
    const handled = vi.fn(() => Promise.resolve());
    const consumption = client.consume({
      group: newName('group'),
      topics: [bomb],
      batchSize: 10,
      handle: handled,
    });
    await vi.waitFor(() => expect(read.map(({ value }) => text(value))).toEqual(['one', 'two']), 15_000);
    await vi.waitFor(
      () =>
        expect(consumption.status().trouble).toBe('a batch of messages in gzip is more than 64 MiB unpacked'),
      30_000,
    );
    expect(handled).not.toHaveBeenCalled();
  });
});
