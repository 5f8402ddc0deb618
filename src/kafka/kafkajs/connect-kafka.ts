import { makeBackoff, pause } from '../../common/backoff.ts';
import { withTimeout } from '../../common/with-timeout.ts';
import type { Consumption, KafkaClient, ConsumeOptions } from '../kafka-client.ts';
import { causeOf, type KafkaConnection } from './connection.ts';
import { knowAllCodecs } from './codecs.ts';
import { makeHealth } from './health.ts';
import { joinGroup, type Membership } from './membership.ts';
import { makePartitions } from './partitions.ts';
import { makePublisher } from './publisher.ts';

/** A client of the brokers. Connects on first use, and reconnects when it is used after a failure. */
export const connectKafka = (connection: KafkaConnection): KafkaClient => {
  knowAllCodecs();
  const publisher = makePublisher(connection);
  const consumptions: Consumption[] = [];
  return {
    publish: (messages, signal) => publisher.publish(messages, signal),
    consume: (options) => {
      const consumption = startConsumption(connection, options);
      consumptions.push(consumption);
      return consumption;
    },
    close: async () => {
      await Promise.all([publisher.close(), ...consumptions.map((consumption) => consumption.stop())]);
    },
  };
};

/** How long pending work may take when the consumption stops. */
const stopMs = 3_000;

/** Stays a member until stopped: whatever ends a membership, the next begins after a growing pause, when the old one's work has ended. */
const startConsumption = (connection: KafkaConnection, options: ConsumeOptions): Consumption => {
  const { logger } = connection;
  const { group } = options;
  const stopping = new AbortController();
  const partitions = makePartitions(group, logger);
  const health = makeHealth(group, logger);
  const backoff = makeBackoff(200, 5_000);
  let membership: Membership | null = null;

  const run = async () => {
    while (!stopping.signal.aborted) {
      health.joining();
      membership = joinGroup(connection, options, { partitions, health, backoff });
      const why = await membership.ended;
      partitions.assign({});
      if (stopping.signal.aborted) return;
      health.troubled(causeOf(why));
      await pause(backoff.next(), stopping.signal);
    }
  };
  const running = run();

  let stopped: Promise<void> | null = null;
  const stop = async () => {
    stopping.abort();
    try {
      await withTimeout(stopMs, Promise.all([membership?.leave(), running]));
    } catch {
      logger.warn({ group }, 'left the group while a batch or the join was still in progress');
      membership?.cut();
    }
    health.stopped();
  };
  return {
    status: () => {
      const now = health.now();
      return { ...now, trouble: now.trouble ?? partitions.rejection(), partitions: partitions.status() };
    },
    stop: () => (stopped ??= stop()),
  };
};
