import { type Config, readConfig } from '../../config/config.ts';
import { KafkaUnavailable } from '../../kafka/kafka-client.ts';
import type { CliIo } from '../base/cli-io.ts';
import { NotReached } from '../base/not-reached.ts';

export type WithKafka = Config & { readonly kafka: NonNullable<Config['kafka']> };

/** @throws NotReached without KAFKA_BROKERS, ConfigError */
export const configWithKafka = ({ env }: Pick<CliIo, 'env'>): WithKafka => {
  const config = readConfig(env);
  const { kafka } = config;
  if (kafka === null)
    throw new NotReached('KAFKA_BROKERS', 'KAFKA_BROKERS is not set: this installation has no Kafka');
  return { ...config, kafka };
};

/** For `catch`: a broker that is away is reported with the setting; any other error stays. */
export const brokersAway = (error: unknown): never => {
  if (!(error instanceof KafkaUnavailable)) throw error;
  throw new NotReached('KAFKA_BROKERS', error.message, { cause: error });
};
