import { eachRecord } from '../domain/records/each-record.ts';
import { recordResources } from '../domain/records/record-resources.ts';
import type { TopicNames } from '../kafka/topics.ts';
import { topicSettingOf } from './kafka-settings.ts';
import { belongTogether } from './parsers.ts';
import type { SettingName, SettingValues } from './settings.ts';

/** Null without KAFKA_BROKERS. The settings must be valid. */
export const toKafkaConfig = (values: SettingValues) =>
  values.KAFKA_BROKERS === null
    ? null
    : Object.freeze({
        /** `host:port` of some brokers, which tell the addresses of the others. */
        brokers: values.KAFKA_BROKERS as readonly string[],
        group: values.KAFKA_GROUP,
        topics: toTopicNames(values),
        newTopics: {
          /** False: topics are only checked. */
          create: values.KAFKA_CREATE_TOPICS === 'on',
          partitions: values.KAFKA_PARTITIONS,
          /** Null: 3, or as many as there are brokers. */
          replicationFactor: values.KAFKA_REPLICATION_FACTOR,
        },
        tls: toTls(values),
        sasl: toSasl(values),
      });

/** Addresses, credentials and topics of Kafka. Certificates and keys are PEM text. */
export type KafkaConfig = NonNullable<ReturnType<typeof toKafkaConfig>>;

const toTopicNames = (values: SettingValues): TopicNames => ({
  out: {
    activations: values.KAFKA_TOPIC_ACTIVATIONS,
    grants: values.KAFKA_TOPIC_GRANTS,
    addons: values.KAFKA_TOPIC_ADDONS,
  },
  in: eachRecord('key', (resource) => values[topicSettingOf(resource)]),
  deadLetter: values.KAFKA_TOPIC_DEAD_LETTER,
});

/** Null: unencrypted. Without `ca`, the authorities that Node trusts; `identity` is our certificate, for mutual TLS. */
const toTls = (values: SettingValues) => {
  if (!hasTls(values)) return null;
  const { KAFKA_TLS_CA: ca, KAFKA_TLS_CERT: cert, KAFKA_TLS_KEY: key } = values;
  return { ca, identity: cert !== null && key !== null ? { cert, key } : null };
};

const toSasl = (values: SettingValues) => {
  const { KAFKA_SASL_MECHANISM: mechanism } = values;
  const { KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = values;
  return mechanism === null ? null : { mechanism, username: username ?? '', password: password ?? '' };
};

type Values = Partial<SettingValues>;

const tlsParts = ['KAFKA_TLS_CA', 'KAFKA_TLS_CERT', 'KAFKA_TLS_KEY'] as const;
const saslParts = ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const;
const topicSettings = [
  'KAFKA_TOPIC_ACTIVATIONS',
  'KAFKA_TOPIC_GRANTS',
  'KAFKA_TOPIC_ADDONS',
  ...recordResources.map(topicSettingOf),
  'KAFKA_TOPIC_DEAD_LETTER',
] as const;

const isSet = (values: Values) => (name: SettingName) => values[name] !== null && values[name] !== undefined;

export const hasTls = (values: Values): boolean =>
  values.KAFKA_TLS === 'on' || (values.KAFKA_TLS !== 'off' && tlsParts.some(isSet(values)));

/** Contradictions between settings. An invalid setting is missing here (undefined), and is not reported again. */
export const kafkaProblems = (values: Values): readonly string[] => [
  ...unusedProblems(values),
  ...tlsProblems(values),
  ...saslProblems(values),
  ...topicProblems(values),
];

/** TLS or SASL settings without KAFKA_BROKERS: they would have no effect. */
const unusedProblems = (values: Values): readonly string[] => {
  if (values.KAFKA_BROKERS !== null) return [];
  const given = ([...tlsParts, ...saslParts] as const).find(isSet(values));
  return given ? [`KAFKA_BROKERS: got nothing; needed, because ${given} is set; allowed: host:port, …`] : [];
};

const tlsProblems = (values: Values): readonly string[] => {
  const { KAFKA_TLS_CERT: cert, KAFKA_TLS_KEY: key } = values;
  const given = tlsParts.find(isSet(values));
  return [
    ...(values.KAFKA_TLS === 'off' && given
      ? [`KAFKA_TLS: got "off"; allowed: on, because ${given} is set`]
      : []),
    ...missing(values, ['KAFKA_TLS_CERT', 'KAFKA_TLS_KEY']),
    ...(cert && key && !belongTogether(cert, key)
      ? ['KAFKA_TLS_KEY: got a value that is not shown; allowed: the private key of KAFKA_TLS_CERT']
      : []),
  ];
};

const saslProblems = (values: Values): readonly string[] => [
  ...missing(values, saslParts),
  ...(values.NODE_ENV === 'production' && values.KAFKA_SASL_MECHANISM === 'plain' && !hasTls(values)
    ? [
        'KAFKA_SASL_MECHANISM: got "plain"; allowed: scram-sha-256, scram-sha-512, or plain with KAFKA_TLS on,' +
          ' because NODE_ENV is production and the password would travel as plain text',
      ]
    : []),
];

const missing = (values: Values, names: readonly SettingName[]): readonly string[] => {
  const given = names.find(isSet(values));
  if (!given) return [];
  return names
    .filter((name) => values[name] === null)
    .map((name) => `${name}: got nothing; needed, because ${given} is set; allowed: a value`);
};

/** Brokers refuse two names that differ only in dot and underscore. */
const topicProblems = (values: Values): readonly string[] => {
  const seen = new Map<string, SettingName>();
  return topicSettings.flatMap((name) => {
    const same = values[name]?.replaceAll('.', '_');
    const other = same && seen.get(same);
    if (same) seen.set(same, name);
    return other
      ? [`${name}: got ${JSON.stringify(values[name])}; allowed: another name than that of ${other}`]
      : [];
  });
};
