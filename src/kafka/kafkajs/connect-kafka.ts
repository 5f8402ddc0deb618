import type { Consumption, KafkaClient } from '../kafka-client.ts';
import { knowAllCodecs } from './codecs.ts';
import type { KafkaConnection } from './connection.ts';
import { startConsumption } from './consumption.ts';
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
