import { setTimeout as delay } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { typeOf } from './cause-of.ts';

/** What brokers say of a topic that was made a moment ago. */
const notYet = ['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION'];

/**
 * Waits until the brokers know the topic and who leads it, and the leaders know it, too: only they answer for offsets. The
 * library's own wait fails where a broker has not heard of it.
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
