import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { MessageToPublish } from '../../../src/kafka/kafka-client.ts';
import { patience } from '../../support/patience.ts';
import { eventually } from '../../support/eventually.ts';
import { testSessionMs } from '../../support/kafka-broker/plain-connection.ts';
import { newName, newTopic, testClient, text, withAdmin } from '../../support/kafka-broker/test-client.ts';
import { describeWithBroker } from '../../support/kafka-broker/with-broker.ts';

const never = new AbortController().signal;
const waiting = { timeout: patience, interval: 20 };

const numbers = (topic: string, from: number, count: number): readonly MessageToPublish[] =>
  Array.from({ length: count }, (_, i) => ({
    topic,
    key: `k${(from + i) % 5}`,
    value: String(from + i),
    headers: {},
  }));

const committedOf = (group: string, topic: string) =>
  withAdmin(async (admin) => {
    const offsets = await admin.fetchOffsets({ groupId: group, topics: [topic] });
    return offsets.flatMap(({ partitions }) => partitions.map(({ offset }) => Number(offset)));
  });

describeWithBroker('consuming from Kafka', () => {
  test('hands out pieces of at most the given size, commits each, and says how far it is', async () => {
    const [topic, group, client] = [await newTopic(), newName('group'), testClient()];
    await client.publish(numbers(topic, 0, 25), never);
    const sizes: number[] = [];
    const consumption = client.consume({
      group,
      topics: [topic],
      batchSize: 10,
      handle: ({ messages }) => Promise.resolve(void sizes.push(messages.length)),
    });
    await vi.waitFor(() => expect(sizes).toEqual([10, 10, 5]), waiting);
    await vi.waitFor(async () => expect(await committedOf(group, topic)).toEqual([25]), waiting);
    expect(consumption.status()).toEqual({
      since: expect.any(Number) as number,
      state: 'reading',
      trouble: null,
      partitions: [{ topic, partition: 0, committed: 25n, end: 25n }],
    });
    await consumption.stop();
    expect(consumption.status().state).toBe('stopped');
  });

  test('goes on where the group has committed', async () => {
    const [topic, group, client] = [await newTopic(), newName('group'), testClient()];
    await client.publish(numbers(topic, 0, 5), never);
    const first: string[] = [];
    const consumption = client.consume({
      group,
      topics: [topic],
      batchSize: 100,
      handle: ({ messages }) =>
        Promise.resolve(void first.push(...messages.map(({ value }) => text(value) ?? ''))),
    });
    await vi.waitFor(() => expect(first).toHaveLength(5), waiting);
    await consumption.stop();
    await client.publish(numbers(topic, 5, 2), never);
    const second: string[] = [];
    client.consume({
      group,
      topics: [topic],
      batchSize: 100,
      handle: ({ messages }) =>
        Promise.resolve(void second.push(...messages.map(({ value }) => text(value) ?? ''))),
    });
    await vi.waitFor(() => expect(second).toEqual(['5', '6']), waiting);
  });

  test('gives what was rejected again, in order, while other partitions go on; nothing is skipped', async () => {
    const [topic, group, client] = [await newTopic({ partitions: 2 }), newName('group'), testClient()];
    await client.publish(numbers(topic, 0, 40), never);
    const done: { partition: number; value: number }[] = [];
    const tries: number[] = [];
    let healed = false;
    const consumption = client.consume({
      group,
      topics: [topic],
      batchSize: 4,
      handle: ({ partition, messages }) => {
        if (partition === 0 && !healed) {
          tries.push(Number(messages[0]?.offset));
          return Promise.reject(new TypeError('the password is hunter2'));
        }
        done.push(...messages.map(({ value }) => ({ partition, value: Number(text(value)) })));
        return Promise.resolve();
      },
    });
    // Both partitions: what one of them has come to says nothing of the other.
    await vi.waitFor(() => expect([tries.length > 3, done.length > 0]).toEqual([true, true]), waiting);
    expect(new Set(tries)).toEqual(new Set([0]));
    expect(consumption.status().trouble).toBe(`a batch of ${topic}/0 is rejected: TypeError`);
    const others = done.length;
    healed = true;
    await vi.waitFor(() => expect(done).toHaveLength(40), waiting);
    expect(others).toBeLessThan(40);
    for (const p of [0, 1]) {
      const values = done.filter(({ partition }) => partition === p).map(({ value }) => value);
      expect(values).toEqual(values.toSorted((a, b) => a - b));
    }
    await vi.waitFor(() => expect(consumption.status().trouble).toBeNull(), waiting);
  });

  test('stopping in the middle tells the handler, and commits what it finishes and nothing more', async () => {
    const [topic, group, client] = [await newTopic(), newName('group'), testClient()];
    await client.publish(numbers(topic, 0, 30), never);
    const begun: number[] = [];
    const consumption = client.consume({
      group,
      topics: [topic],
      batchSize: 10,
      handle: async ({ messages }, signal) => {
        begun.push(Number(messages[0]?.offset));
        if (begun.length === 2) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    });
    await vi.waitFor(() => expect(begun).toEqual([0, 10]), waiting);
    await consumption.stop();
    expect(begun).toEqual([0, 10]);
    expect(await committedOf(group, topic)).toEqual([20]);
  });

  test('two members share the partitions; when one leaves, the other goes on with all of them', async () => {
    const [topic, group] = [await newTopic({ partitions: 4 }), newName('group')];
    const [one, two] = [testClient(), testClient()];
    const seen: { by: string; partition: number; offset: bigint }[] = [];
    const member = (client: typeof one, by: string) =>
      client.consume({
        group,
        topics: [topic],
        batchSize: 10,
        handle: ({ partition, messages }) =>
          Promise.resolve(void seen.push(...messages.map(({ offset }) => ({ by, partition, offset })))),
      });
    await one.publish(numbers(topic, 0, 100), never);
    /** What is not committed when the members change comes again: until then each message was seen once. */
    const committed = (count: number) =>
      vi.waitFor(async () => {
        const offsets = await committedOf(group, topic);
        expect(offsets.reduce((sum, offset) => sum + Math.max(0, offset), 0)).toBe(count);
      }, waiting);
    const first = member(one, 'one');
    await vi.waitFor(() => expect(seen).toHaveLength(100), waiting);
    await committed(100);
    const second = member(two, 'two');
    const shares = () => [first, second].map((each) => each.status().partitions.length);
    await vi.waitFor(() => expect(shares()).toEqual([2, 2]), waiting);
    await one.publish(numbers(topic, 100, 100), never);
    await vi.waitFor(() => expect(seen.length).toBeGreaterThanOrEqual(200), waiting);
    await committed(200);
    expect(new Set(seen.slice(100).map(({ by }) => by))).toEqual(new Set(['one', 'two']));
    await first.stop();
    await vi.waitFor(() => expect(shares()).toEqual([0, 4]), waiting);
    await two.publish(numbers(topic, 200, 100), never);
    const places = () => new Set(seen.map(({ partition, offset }) => `${partition}/${offset}`));
    await vi.waitFor(() => expect(places().size).toBe(300), waiting);
    expect(seen).toHaveLength(300);
  });

  test('keeps its partition while one piece takes longer than the group waits for a member that is silent', async () => {
    const [topic, group, client] = [await newTopic(), newName('group'), testClient()];
    await client.publish(numbers(topic, 0, 3), never);
    let [calls, aborted] = [0, false];
    client.consume({
      group,
      topics: [topic],
      batchSize: 10,
      handle: async (_batch, signal) => {
        calls += 1;
        await sleep(testSessionMs + 2_000);
        aborted ||= signal.aborted;
      },
    });
    await eventually(async () => expect(await committedOf(group, topic)).toEqual([3]), 500);
    expect({ calls, aborted }).toEqual({ calls: 1, aborted: false });
  });
});
