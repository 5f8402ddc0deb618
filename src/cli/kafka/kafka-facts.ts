import type { Position } from '../../eventstore/event-store.ts';
import type { ExpiredRange } from '../../domain/records/expired-messages.ts';
import type { ResentLetters } from '../../domain/records/dead-letters.ts';
import { type PartitionBounds, KafkaUnavailable } from '../../kafka/kafka-client.ts';
import type { GroupDescription } from '../../kafka/kafkajs/describe-group.ts';
import type { TopicReport } from '../../kafka/topics.ts';
import type { Backlog } from '../../projections/operations/count-backlog.ts';
import { type Config, readConfig } from '../../config/config.ts';
import type { CliIo } from '../base/cli-io.ts';
import { NotReached } from '../base/not-reached.ts';

export type BrokerFacts = {
  readonly brokers: readonly string[];
  readonly topics: readonly TopicReport[];
  readonly ingest: GroupDescription & { readonly name: string };
  /** Where their topic begins and ends; null when it is missing. */
  readonly deadLetters: { readonly topic: string; readonly kept: readonly PartitionBounds[] | null };
};

export type LogFacts = {
  /** The broker has acknowledged everything up to the checkpoint; null before the first publication. */
  readonly relay: Backlog & { readonly checkpoint: Position | null };
  /** The address of the instance that publishes; null for none. */
  readonly relayLeader: string | null;
  readonly parked: number;
  readonly resent: ResentLetters;
  /** What expired unread and is not confirmed, as instances have found it. */
  readonly expired: readonly ExpiredRange[];
};

export type KafkaFacts = BrokerFacts & LogFacts;

/** In seconds, as in the settings; `retention` is null for unlimited, and absent if unknown. */
export const presentTopic = ({ name, state, partitions, retentionMs, problems, notes }: TopicReport) => ({
  name,
  state,
  partitions,
  ...(retentionMs === undefined
    ? {}
    : { retention: retentionMs === null ? null : Math.floor(retentionMs / 1000) }),
  problems,
  notes,
});

type WithKafka = Config & { readonly kafka: NonNullable<Config['kafka']> };

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
