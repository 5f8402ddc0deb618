import { expect, test } from 'vitest';
import { KafkaUnavailable, MessageRefused, type MessageToPublish } from '../../../src/kafka/kafka-client.ts';
import {
  newName,
  newTopic,
  readAll,
  testClient,
  text,
  withAdmin,
} from '../../support/kafka-broker/test-client.ts';
import { describeWithBroker } from '../../support/kafka-broker/with-broker.ts';
import { eventually } from '../../support/eventually.ts';

const never = new AbortController().signal;

const message = (
  topic: string,
  key: string | null,
  value: string | null,
  headers: MessageToPublish['headers'] = {},
): MessageToPublish => ({ topic, key, value, headers });

describeWithBroker('publishing to Kafka', () => {
  test('keeps the order within a key, also across calls that do not wait for each other', async () => {
    const topic = await newTopic({ partitions: 6 });
    const client = testClient();
    const calls = Array.from({ length: 20 }, (_, call) =>
      client.publish(
        Array.from({ length: 50 }, (_, i) => message(topic, `key-${i % 7}`, String(call * 50 + i))),
        never,
      ),
    );
    await Promise.all(calls);
    const read = readAll(client, [topic]);
    await eventually(() => expect(read).toHaveLength(1000));
    expect(new Set(read.map(({ partition }) => partition)).size).toBeGreaterThan(2);
    for (let k = 0; k < 7; k++) {
      const ofKey = read.filter(({ key }) => text(key) === `key-${k}`);
      const expected = Array.from({ length: 1000 }, (_, n) => n).filter((n) => (n % 50) % 7 === k);
      expect(ofKey.map(({ value }) => Number(text(value)))).toEqual(expected);
      expect(new Set(ofKey.map(({ partition }) => partition)).size).toBe(1);
    }
  });

  test('carries ids, headers with names that come twice, tombstones, and messages without a key', async () => {
    const topic = await newTopic();
    const client = testClient();
    await client.publish([], never);
    await client.publish(
      [
        message(topic, 'a', '{}', { ce_id: 'one', twice: [Buffer.from('1'), Buffer.from('2')] }),
        message(topic, 'a', null, { version: '7' }),
        message(topic, null, 'no key'),
        message(topic, 'ä', 'ü', { __proto__: 'x', ['constructor']: 'y' }),
      ],
      never,
    );
    const read = readAll(client, [topic]);
    await eventually(() => expect(read).toHaveLength(4));
    expect(read.map(({ key, value }) => [text(key), text(value)])).toEqual([
      ['a', '{}'],
      ['a', null],
      [null, 'no key'],
      ['ä', 'ü'],
    ]);
    expect(read.map(({ headers }) => headers.map(([name, value]) => [name, text(value)]))).toEqual([
      [
        ['ce_id', 'one'],
        ['twice', '1'],
        ['twice', '2'],
      ],
      [['version', '7']],
      [],
      [['constructor', 'y']],
    ]);
    expect(read.map(({ offset }) => offset)).toEqual([0n, 1n, 2n, 3n]);
    expect(Math.abs(Date.now() - (read[0]?.timestamp ?? 0))).toBeLessThan(3_600_000);
  });

  test('sends what is larger than one request in several, and as small ones as the topic takes', async () => {
    const small = await newTopic({ config: { 'max.message.bytes': '20000' } });
    const usual = await newTopic();
    const client = testClient();
    const many = (topic: string) =>
      Array.from({ length: 30 }, (_, i) => message(topic, 'k', `${i}:`.padEnd(100_000, 'x')));
    await client.publish(many(usual), never);
    const few = Array.from({ length: 40 }, (_, i) => message(small, 'k', `${i}:`.padEnd(1_500, 'x')));
    await client.publish(few, never);
    const read = readAll(client, [usual, small]);
    await eventually(() => expect(read).toHaveLength(70));
    const order = (topic: string) =>
      read.filter((one) => one.topic === topic).map(({ value }) => parseInt(text(value) ?? '', 10));
    expect(order(usual)).toEqual([...many(usual).keys()]);
    expect(order(small)).toEqual([...few.keys()]);
  });

  test('refuses a message that is too large, naming topic and size but not what is in it, and goes on', async () => {
    const topic = await newTopic();
    const client = testClient();
    const huge = message(topic, 'key', 'secret'.repeat(200_000));
    const failure = await client
      .publish([message(topic, 'k', 'before'), huge], never)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MessageRefused);
    expect(String(failure)).toContain(`1200035 bytes for ${topic}: MESSAGE_TOO_LARGE`);
    expect(String(failure)).not.toContain('secret');
    await client.publish([message(topic, 'k', 'after')], never);
    const read = readAll(client, [topic]);
    await eventually(() => expect(read.map(({ value }) => text(value)).at(-1)).toBe('after'));
    expect(read.map(({ value }) => text(value))).toContain('before');
  });

  test('waits for a topic that is not there, and never makes it by sending', async () => {
    const [topic, client] = [newName('topic'), testClient()];
    const failure = await client.publish([message(topic, 'k', 'v')], never).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(KafkaUnavailable);
    expect(String(failure)).toContain(`for ${topic}: UNKNOWN_TOPIC_OR_PARTITION`);
    expect(await withAdmin((admin) => admin.listTopics())).not.toContain(topic);
  });
});
