import { z } from 'zod';
import { recordResources, type RecordResource } from '../domain/records/record-resources.ts';
import { defaultTopicNames } from '../kafka/topics.ts';
import { brokers, certificates, decimal, kafkaName, oneOf, privateKey } from './parsers.ts';
import { optional, setting } from './setting.ts';

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
const SWITCH = ['on', 'off'] as const;

const name = (fallback: string) =>
  setting(kafkaName, fallback, `a name: 1–249 of a–z A–Z 0–9 . _ - (default ${fallback})`);

type TopicSetting = `KAFKA_TOPIC_${Uppercase<RecordResource['table']>}`;

export const topicSettingOf = ({ table }: RecordResource): TopicSetting =>
  `KAFKA_TOPIC_${table.toUpperCase() as Uppercase<typeof table>}`;

const topicsIn = Object.fromEntries(
  recordResources.map((resource) => [topicSettingOf(resource), name(resource.topic)]),
) as { readonly [N in TopicSetting]: ReturnType<typeof name> };

/** The settings of Kafka; unused without KAFKA_BROKERS. */
export const KAFKA_SETTINGS = {
  KAFKA_BROKERS: optional(brokers, 'host:port, separated by commas; absent means none'),
  KAFKA_GROUP: name('grantbook'),
  KAFKA_TOPIC_ACTIVATIONS: name(defaultTopicNames.out.activations),
  KAFKA_TOPIC_GRANTS: name(defaultTopicNames.out.grants),
  KAFKA_TOPIC_ADDONS: name(defaultTopicNames.out.addons),
  ...topicsIn,
  KAFKA_TOPIC_DEAD_LETTER: name(defaultTopicNames.deadLetter),
  KAFKA_CREATE_TOPICS: setting(
    oneOf(SWITCH),
    'on',
    'on (topics that are missing are made) or off (they are only checked) (default on)',
  ),
  KAFKA_PARTITIONS: setting(decimal(1, 10_000), 6, 'a number from 1 to 10000 (default 6)'),
  KAFKA_REPLICATION_FACTOR: optional(
    decimal(1, 1000),
    'a number from 1 to 1000 (default 3, or as many as there are brokers)',
  ),
  KAFKA_TLS: optional(oneOf(SWITCH), 'on or off (default on when another KAFKA_TLS_ setting is set)'),
  KAFKA_TLS_CA: {
    ...optional(certificates, 'certificates in PEM; absent means the authorities that Node trusts'),
    secret: true,
  },
  KAFKA_TLS_CERT: {
    ...optional(certificates, 'a certificate in PEM, with KAFKA_TLS_KEY'),
    secret: true,
  },
  KAFKA_TLS_KEY: {
    ...optional(privateKey, 'a private key in PEM, without a passphrase'),
    secret: true,
  },
  KAFKA_SASL_MECHANISM: optional(oneOf(MECHANISMS), `one of ${MECHANISMS.join(', ')}`),
  KAFKA_SASL_USERNAME: optional(z.string(), 'a name, with KAFKA_SASL_MECHANISM'),
  KAFKA_SASL_PASSWORD: {
    ...optional(z.string(), 'a password, with KAFKA_SASL_MECHANISM'),
    secret: true,
  },
} as const;
