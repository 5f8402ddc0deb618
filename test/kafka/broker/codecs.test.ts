import { execFileSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { settingsOf } from '../../../src/kafka/wanted-topics.ts';
import { newName, newTopic, testClient, text } from '../../support/kafka-broker/test-client.ts';
import { brokers, describeWithBroker } from '../../support/kafka-broker/with-broker.ts';

const waiting = { timeout: 20_000, interval: 20 };

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

describeWithKcat('what a producer has compressed', () => {
  test('is read, whatever the codec, in a topic that was made by us: the broker writes it anew', async () => {
    const wanted = { name: '', direction: 'in', retentionMs: null } as const;
    const topic = await newTopic({ config: settingsOf(wanted, 1) });
    for (const codec of ['snappy', 'lz4', 'zstd', 'gzip', 'none']) produce(topic, codec, codec, `${codec}!`);
    const { values } = read(topic);
    const expected = ['snappy', 'snappy!', 'lz4', 'lz4!', 'zstd', 'zstd!', 'gzip', 'gzip!', 'none', 'none!'];
    await vi.waitFor(() => expect(values).toEqual(expected), waiting);
  });

  test('with a codec that is not known, in a topic that keeps it, is waited for and told, and never skipped', async () => {
    const topic = await newTopic({ config: { 'compression.type': 'producer' } });
    produce(topic, 'none', 'before');
    produce(topic, 'zstd', 'never read');
    const { values, consumption } = read(topic);
    const said = () => expect(consumption.status().trouble).toMatch(/compressed in a way .*ZSTD/);
    await vi.waitFor(said, waiting);
    expect(values.filter((value) => value !== 'before')).toEqual([]);
  });
});
