import { organizationStream } from '../../../src/domain/streams.ts';
import type { EventStore } from '../../../src/eventstore/event-store.ts';
import { startIngest } from '../../../src/kafka/ingest/ingest.ts';
import type { RecordCommands } from '../../../src/kafka/ingest/resources.ts';
import type { ReceivedMessage } from '../../../src/kafka/kafka-client.ts';
import { defaultTopicNames } from '../../../src/kafka/topics.ts';
import { marketplace } from '../../support/scenes/marketplace.ts';
import { memoryKafka } from '../../support/memory/memory-kafka.ts';
import type { MemoryStoreHooks } from '../../support/memory/memory-store.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { organizationExists } from '../../../src/commands/organizations/find-named-organization.ts';

export const topics = defaultTopicNames;
export const inTopics = Object.values(topics.in);

export const organizationId = '01HZ0000000000000000000000';

export const createOrganization = (store: EventStore, id: string) =>
  store.append(organizationStream(id), 'no-stream', [
    { event: { type: 'OrganizationCreated', data: { organizationId: id, name: 'Org', at: 0 } } },
  ]);

type Options = {
  readonly hooks?: MemoryStoreHooks;
  readonly kafka?: Parameters<typeof memoryKafka>[0];
  /** Put around the commands. */
  readonly around?: (commands: RecordCommands) => RecordCommands;
  readonly head?: EventStore['head'];
};

/** The ingest over a log and a broker in memory, with one organization. */
export const ingestScene = async ({ hooks, kafka: kafkaOptions, around, head }: Options = {}) => {
  const market = marketplace(hooks);
  const kafka = memoryKafka(kafkaOptions);
  await createOrganization(market.store, organizationId);
  const logger = quietLogger();
  const start = (group = 'grantbook') =>
    startIngest({
      client: kafka.client,
      topics,
      group,
      commands: { ...market, ...around?.(market) },
      organizationExists: (id) => organizationExists(market.store, id),
      store: { head: head ?? (() => market.store.head()) },
      now: market.now,
      logger: logger as never,
    });
  return {
    ...market,
    kafka,
    logger,
    organizationId,
    start,
    /** An upsert of a profile, as the host writes it. */
    profile: (id: string, version = 1, more: object = {}) =>
      JSON.stringify({
        id,
        version,
        organization_id: organizationId,
        name: 'Ada',
        email: 'ada@example.com',
        ...more,
      }),
    send: (topic: string, ...values: readonly (string | Buffer | null)[]) => {
      for (const value of values) kafka.write({ topic, key: null, value, headers: {} });
    },
    deadLetters: () => kafka.messages(topics.deadLetter).map(deadLetterOf),
    recorded: () => market.store.all().filter(({ event }) => 'version' in event.data),
  };
};

/** What a person looks at first. */
export const deadLetterOf = ({ key, value, headers }: ReceivedMessage) => {
  const header = (name: string) => headers.find(([of]) => of === name)?.[1].toString();
  return {
    key: key?.toString() ?? null,
    value: value?.toString() ?? null,
    reason: header('grantbook-reason'),
    problems: JSON.parse(header('grantbook-problems') ?? '[]') as unknown,
    topic: header('grantbook-topic'),
    offset: Number(header('grantbook-offset')),
    partition: Number(header('grantbook-partition')),
  };
};

export const counted = (ingest: ReturnType<typeof startIngest>) =>
  Object.fromEntries(
    ingest.status().messages.map(({ topic, outcome, messages }) => [`${topic} ${outcome}`, messages]),
  );
