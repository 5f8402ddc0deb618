import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { KafkaUnavailable } from '../../../src/kafka/kafka-client.ts';
import { patience } from '../../support/patience.ts';
import { startKafkaBroker, type KafkaBroker } from '../../support/kafka-broker/start-broker.ts';
import { connectionTo, newName, newTopic, testClient, text } from '../../support/kafka-broker/test-client.ts';
import { describeWithOwnBroker } from '../../support/kafka-broker/with-broker.ts';
import { allowTrouble } from '../../support/trouble/expect-trouble.ts';
import { brokerAway } from '../../support/trouble/server-killed.ts';

allowTrouble(...brokerAway);

const never = new AbortController().signal;
const waiting = { timeout: patience, interval: 50 };
const failureOf = (promise: Promise<unknown>) => promise.then(() => null, (error: unknown) => error); // prettier-ignore

/** What becomes of the first message that is not answered soon. */
const sentIntoSilence = async (send: (value: string) => Promise<unknown>) => {
  for (;;) {
    const sending = failureOf(send('frozen'));
    if ((await Promise.race([sending, sleep(500, 'silence')])) === 'silence') return { sending };
  }
};

describeWithOwnBroker('a broker that goes away', () => {
  let broker: KafkaBroker;
  beforeAll(async () => {
    broker = await startKafkaBroker();
  });
  afterAll(() => broker.close());

  const scene = async () => {
    const client = testClient(connectionTo([broker.brokers]));
    const topic = await newTopic({}, [broker.brokers]);
    const send = (...values: string[]) =>
      client.publish(
        values.map((value) => ({ topic, key: 'k', value, headers: {} })),
        never,
      );
    const read: string[] = [];
    const consumption = client.consume({
      group: newName('group'),
      topics: [topic],
      batchSize: 10,
      handle: ({ messages }) =>
        Promise.resolve(void read.push(...messages.map(({ value }) => text(value) ?? ''))),
    });
    await send('first');
    await vi.waitFor(() => expect(read).toEqual(['first']), waiting);
    return { client, topic, send, read, consumption };
  };

  test('is frozen: publishing gives up in a bounded time, a signal ends the wait, and both go on afterwards', async () => {
    const { client, topic, send, read, consumption } = await scene();
    onTestFinished(() => broker.thaw());
    broker.freeze();
    const leaving = new AbortController();
    const message = { topic, key: 'k', value: 'never', headers: {} };
    const left = failureOf(client.publish([message], leaving.signal));
    leaving.abort();
    expect(await left).toBeInstanceOf(KafkaUnavailable);
    const { sending } = await sentIntoSilence(send);
    const failure = await sending;
    expect(failure).toBeInstanceOf(KafkaUnavailable);
    expect(String(failure)).toContain(`Kafka does not accept messages for ${topic}`);
    await vi.waitFor(() => expect(consumption.status().state).not.toBe('reading'), waiting);
    broker.thaw();
    await vi.waitFor(() => send('thawed'), waiting);
    await vi.waitFor(() => expect(read.at(-1)).toBe('thawed'), waiting);
  });

  test('closing is bounded while it is frozen', async () => {
    const { client, send, consumption } = await scene();
    onTestFinished(() => broker.thaw());
    broker.freeze();
    const sending = failureOf(send('frozen'));
    await client.close();
    expect(await sending).toBeInstanceOf(KafkaUnavailable);
    expect(consumption.status().state).toBe('stopped');
    expect(await failureOf(send('closed'))).toBeInstanceOf(KafkaUnavailable);
  });
});
