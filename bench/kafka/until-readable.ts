import { Kafka, logLevel } from 'kafkajs';
import { defaultTopicNames } from '../../src/kafka/topics.ts';
import { openInstance } from '../revocation/instance.ts';
import { deactivate } from '../revocation/deactivation.ts';
import type { Stage } from '../revocation/stage.ts';
import { done } from '../world.ts';

/** Warm-up rounds that do not count. */
const rehearsals = 10;

/**
 * Milliseconds from a deactivation's answer until a consumer has its message, one for each round. The relay must have
 * caught up.
 */
export const timeUntilReadable = async (
  stage: Stage,
  brokers: string,
  rounds: number,
): Promise<readonly number[]> => {
  const instance = await openInstance({ ...stage.env, KAFKA_BROKERS: brokers });
  const consumer = new Kafka({ brokers: [brokers], logLevel: logLevel.NOTHING }).consumer({
    groupId: 'bench',
  });
  try {
    let heard: (at: number) => void = () => undefined;
    await consumer.connect();
    await consumer.subscribe({ topics: [defaultTopicNames.out.activations], fromBeginning: false });
    const joined = new Promise((resolve) => consumer.on(consumer.events.FETCH_START, resolve));
    await consumer.run({
      eachMessage: ({ message: { headers } }) => {
        if (String(headers?.['ce_type']).includes('.deactivated')) heard(performance.now());
        return Promise.resolve();
      },
    });
    await joined;
    const { organizationId } = stage.home;
    const { commands } = stage.core;
    const activation = { organizationId, addonId: stage.clientId, by: 'break-glass', sessionId: null };
    const times: number[] = [];
    for (let round = -rehearsals; round < rounds; round += 1) {
      done(await commands.activateAddon(activation));
      const readable = new Promise<number>((resolve) => (heard = resolve));
      await deactivate(stage, instance.baseUrl, organizationId);
      const answered = performance.now();
      const took = (await readable) - answered;
      if (round >= 0) times.push(took);
    }
    return times;
  } finally {
    await consumer.disconnect();
    await instance.stop();
  }
};
