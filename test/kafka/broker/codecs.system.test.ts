import { execFileSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { patience } from '../../support/patience.ts';
import { newName, newTopic, testClient, text } from '../../support/kafka-broker/test-client.ts';
import { brokers, describeWithBroker } from '../../support/kafka-broker/with-broker.ts';

const waiting = { timeout: patience, interval: 20 };

const hasKcat = (() => {
  try {
    execFileSync('kcat', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
const describeWithKcat = hasKcat ? describeWithBroker : describeWithBroker.skip;

/** By another client than ours, which knows every codec. */
const produce = (topic: string, codec: string, ...values: string[]) => {
  const input = values.map((value) => `${value.padEnd(200, '.')}\n`).join('');
  const args = ['-P', '-b', String(brokers()[0]), '-t', topic, '-z', codec, '-X', 'linger.ms=20'];
  execFileSync('kcat', args, { input });
};

const read = (topic: string) => {
  const values: string[] = [];
  const consumption = testClient().consume({
    group: newName('group'),
    topics: [topic],
    batchSize: 100,
    handle: ({ messages }) =>
      Promise.resolve(
        void values.push(...messages.map(({ value }) => text(value)?.replace(/\.+$/, '') ?? '')),
      ),
  });
  return { values, consumption };
};

const codecs = ['snappy', 'lz4', 'zstd', 'gzip', 'none'] as const;
const both = codecs.flatMap((codec) => [codec, `${codec}!`]);

describeWithKcat('what is compressed is read, whatever the codec', () => {
  test('as a producer wrote it, which here is librdkafka', async () => {
    const topic = await newTopic({ config: { 'compression.type': 'producer' } });
    for (const codec of codecs) produce(topic, codec, codec, `${codec}!`);
    const { values } = read(topic);
    await vi.waitFor(() => expect(values).toEqual(both), waiting);
  });

  test.each(['snappy', 'lz4', 'zstd', 'gzip'])(
    'as the broker itself wrote it, with the Java libraries: %s',
    async (codec) => {
      const topic = await newTopic({ config: { 'compression.type': codec } });
      produce(topic, 'none', ...both);
      const { values } = read(topic);
      await vi.waitFor(() => expect(values).toEqual(both), waiting);
    },
  );
});
