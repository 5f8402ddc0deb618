import kafkajs, { type Admin } from 'kafkajs';
import { expect, test } from 'vitest';
import { waitForPartitionLeader } from '../../../src/kafka/kafkajs/topics.ts';

/** Brokers that answer the first requests for offsets with these errors. */
const brokers = (...errors: readonly string[]) => {
  const left = [...errors];
  let asked = 0;
  const admin = {
    fetchTopicMetadata: () => Promise.resolve({ topics: [] }),
    fetchTopicOffsets: () => {
      asked += 1;
      const type = left.shift();
      return type === undefined
        ? Promise.resolve([])
        : Promise.reject(
            new kafkajs.KafkaJSProtocolError({ type, code: 1, message: type } as unknown as Error),
          );
    },
  } as unknown as Admin;
  return { admin, asked: () => asked };
};

test('a topic that the brokers do not know yet is waited for, with its leaders', async () => {
  const { admin, asked } = brokers('UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE');
  await waitForPartitionLeader(admin, 'host.profiles');
  expect(asked()).toBe(3);
});

test('for a while; and any other error is reported at once', async () => {
  await expect(
    waitForPartitionLeader(brokers('LEADER_NOT_AVAILABLE').admin, 'host.profiles', -1),
  ).rejects.toThrow('LEADER_NOT_AVAILABLE');
  const refusing = brokers('TOPIC_AUTHORIZATION_FAILED');
  await expect(waitForPartitionLeader(refusing.admin, 'host.profiles')).rejects.toThrow(
    'TOPIC_AUTHORIZATION_FAILED',
  );
  expect(refusing.asked()).toBe(1);
});
