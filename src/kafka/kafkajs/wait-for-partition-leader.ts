import { setTimeout as delay } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { typeOf } from './cause-of.ts';

/** Errors of brokers about a topic that was just created. */
const notYet = ['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION'];

/**
 * Waits until the brokers know the topic and its leaders, and the leaders know it, too: only leaders answer for
 * offsets. The library's own wait fails if a broker does not know the topic yet.
 */
export const waitForPartitionLeader = async (
  admin: Admin,
  topic: string,
  patienceMs = 10_000,
): Promise<void> => {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      await admin.fetchTopicMetadata({ topics: [topic] });
      return void (await admin.fetchTopicOffsets(topic));
    } catch (error) {
      if (!notYet.includes(typeOf(error) ?? '') || Date.now() > deadline) throw error;
    }
    await delay(50);
  }
};
