import { pino } from 'pino';
import { organizationExists } from '../../../../src/commands/organizations/find-named-organization.ts';
import { composeService, type ServiceCore } from '../../../../src/compose/service.ts';
import { readConfig } from '../../../../src/config/config.ts';
import { startIngest, type Ingest } from '../../../../src/kafka/ingest/ingest.ts';
import type { ExpiryCommands } from '../../../../src/kafka/ingest/expired.ts';
import type { RecordCommands } from '../../../../src/kafka/ingest/resources.ts';
import { plainConnection } from '../../../support/kafka-broker/plain-connection.ts';
import { connectKafka } from '../../../../src/kafka/kafkajs/connect-kafka.ts';
import type { KafkaClient } from '../../../../src/kafka/kafka-client.ts';
import type { TopicNames } from '../../../../src/kafka/topics.ts';
import { sharedSettings, type SharedStores } from '../../../support/shared-settings.ts';

export type Meeting = {
  readonly stores: SharedStores;
  readonly brokers: readonly string[];
  readonly topics: Pick<TopicNames, 'in' | 'deadLetter'>;
  readonly group: string;
};

const logger = pino({ level: 'silent' });

/** Both sides of the service over these servers, as the service composes them. */
export const openCore = (stores: SharedStores): Promise<ServiceCore> =>
  composeService(readConfig(sharedSettings(stores)), stores, logger);

export const connectTo = (brokers: readonly string[]): KafkaClient => connectKafka(plainConnection(brokers));

/** A member of the group, in this process. */
export const joinIngest = (
  { topics, group }: Omit<Meeting, 'stores' | 'brokers'>,
  core: Pick<ServiceCore, 'store'> & { readonly commands: RecordCommands & ExpiryCommands },
  client: Pick<KafkaClient, 'publish' | 'consume'>,
): Ingest =>
  startIngest({
    client,
    topics,
    group,
    commands: core.commands,
    organizationExists: (id) => organizationExists(core.store, id),
    store: core.store,
    now: Date.now,
    logger,
  });
