import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { newTopic, readAll, testClient } from '../../support/kafka-broker/test-client.ts';
import { describeWithBroker } from '../../support/kafka-broker/with-broker.ts';

describeWithBroker('a message with very many headers', () => {
  test('is read at once, with all of them; it would keep the library busy for minutes', async () => {
    const topic = await newTopic();
    const client = testClient();
    const names = Array.from({ length: 25_000 }, (_, i) => `name-${i}`);
    const headers = Object.fromEntries(names.map((name) => [name, [Buffer.from('1'), Buffer.from('2')]]));
    await client.publish([{ topic, key: null, value: 'x', headers }], new AbortController().signal);
    const read = readAll(client, [topic]);
    await eventually(() => expect(read).toHaveLength(1));
    const got = read[0]?.headers ?? [];
    expect(got).toHaveLength(50_000);
    expect(got.slice(0, 3).map(([name, value]) => [name, value.toString()])).toEqual([
      ['name-0', '1'],
      ['name-0', '2'],
      ['name-1', '1'],
    ]);
  });
});
