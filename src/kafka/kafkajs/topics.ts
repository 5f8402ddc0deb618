import { setTimeout as delay } from 'node:timers/promises';
import kafkajs, { type Admin } from 'kafkajs';
import type { KafkaConfig } from '../../config/kafka-config.ts';
import { compareTopic, retentionOf, type FoundTopic } from '../compare-topic.ts';
import { type KafkaTopics, type TopicReport, type WantedTopic, settingsOf, wantedTopics } from '../topics.ts';
import { withAdmin } from './session.ts';
import { causeOf, typeOf, type KafkaConnection } from './connection.ts';

// Node does not find this one among the named exports of a CommonJS module.
const { ConfigResourceTypes } = kafkajs;

type Dependencies = {
  readonly connection: KafkaConnection;
  readonly config: Pick<KafkaConfig, 'topics' | 'newTopics'>;
  /** The longest life of a grant, in seconds. */
  readonly grantSeconds: number;
};

export const makeKafkaTopics = ({ connection, config, grantSeconds }: Dependencies): KafkaTopics => {
  const { create, partitions, replicationFactor } = config.newTopics;
  const wanted = wantedTopics(config.topics, grantSeconds);
  const look = (make: boolean) =>
    withAdmin(connection, async (admin) => {
      const { brokers } = await admin.describeCluster();
      const plan = { partitions, replicas: replicationFactor ?? Math.min(3, brokers.length) };
      const reports: TopicReport[] = [];
      for (const topic of wanted) {
        const found = await findTopic(admin, topic.name);
        if (found !== null && !('hidden' in found)) reports.push(describe(topic, found, plan, 'there'));
        else if (!make) reports.push(missing(topic, plan, found ? found.hidden : null));
        else reports.push(await makeTopic(admin, topic, plan));
      }
      return reports;
    });
  return { ensure: () => look(create), inspect: () => look(false) };
};

type Plan = { readonly partitions: number; readonly replicas: number };

/** Null when it does not exist; `hidden` says why its settings are not readable. */
const findTopic = async (
  admin: Admin,
  topic: string,
): Promise<FoundTopic | { readonly hidden: string } | null> => {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const partitions = topics[0]?.partitions ?? [];
    return {
      partitions: partitions.length,
      replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
      settings: await settingsFound(admin, topic),
    };
  } catch (error) {
    const type = typeOf(error);
    if (type === 'UNKNOWN_TOPIC_OR_PARTITION') return null;
    if (type === 'TOPIC_AUTHORIZATION_FAILED') return { hidden: causeOf(error) };
    throw error;
  }
};

const settingsFound = async (admin: Admin, topic: string): Promise<FoundTopic['settings']> => {
  const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic }];
  try {
    const described = await admin.describeConfigs({ resources, includeSynonyms: false });
    const entries = described.resources[0]?.configEntries ?? [];
    return Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]));
  } catch (error) {
    if (typeOf(error)?.endsWith('AUTHORIZATION_FAILED')) return null;
    throw error;
  }
};

const makeTopic = async (admin: Admin, wanted: WantedTopic, plan: Plan): Promise<TopicReport> => {
  const settings = settingsOf(wanted, plan.replicas);
  try {
    await admin.createTopics({
      topics: [
        {
          topic: wanted.name,
          numPartitions: plan.partitions,
          replicationFactor: plan.replicas,
          configEntries: Object.entries(settings).map(([name, value]) => ({ name, value })),
        },
      ],
      waitForLeaders: false,
      timeout: 10_000,
    });
    await waitForPartitionLeader(admin, wanted.name);
    return describe(wanted, { ...plan, settings }, plan, 'made');
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return missing(wanted, plan, refusal);
  }
};

/** The broker's error about this topic; null when the error is not about the topic. */
const refusalOf = (error: unknown): string | null => {
  const errors = (error as { errors?: unknown }).errors;
  const one: unknown = Array.isArray(errors) ? errors[0] : error;
  const type = typeOf(one) ?? '';
  const ours = ['AUTHORIZATION_FAILED', 'POLICY_VIOLATION', 'INVALID_'];
  return ours.some((part) => type.includes(part)) ? causeOf(one) : null;
};

const describe = (
  wanted: WantedTopic,
  found: FoundTopic,
  plan: Plan,
  state: 'there' | 'made',
): TopicReport => ({
  name: wanted.name,
  state,
  partitions: found.partitions,
  retentionMs: found.settings ? retentionOf(found.settings) : undefined,
  ...compareTopic(wanted, found, plan),
});

const missing = (wanted: WantedTopic, plan: Plan, why: string | null): TopicReport => ({
  name: wanted.name,
  state: 'missing',
  partitions: null,
  retentionMs: undefined,
  problems: [
    `it does not exist${why === null ? '' : `, or the service may not use or create it (${why})`}; let somebody with the rights create it: ${makeCommand(wanted, plan)}`,
  ],
  notes: [],
});

const makeCommand = (wanted: WantedTopic, { partitions, replicas }: Plan): string =>
  [
    `kafka-topics.sh --create --topic ${wanted.name}`,
    `--partitions ${partitions} --replication-factor ${replicas}`,
    ...Object.entries(settingsOf(wanted, replicas)).map(([name, value]) => `--config ${name}=${value}`),
  ].join(' ');

/** Errors of brokers about a topic that was just created. */
const notYet = ['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION'];

/** Waits until brokers and leaders know the topic, since only leaders answer for offsets; the library's own wait may fail. */
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
