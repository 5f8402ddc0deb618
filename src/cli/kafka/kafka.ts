import { readConfig } from '../../config/config.ts';
import { connectEventStore } from '../../eventstore/client/esdb.ts';
import { silent } from '../../eventstore/logger.ts';
import { KafkaUnavailable } from '../../kafka/kafka-client.ts';
import type { Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { NotReached } from '../base/explain.ts';
import { presentKafka } from './present-kafka.ts';
import { countBacklog, readRelayCheckpoint, type Backlog } from './relay-backlog.ts';
import type { Servers } from '../base/service.ts';

export const addKafkaCommands: AddCommands = (program, io, run) => {
  const kafka = program.command('kafka');
  leaf(kafka, 'status', "show the topics, the relay's backlog and the ingest's lag").action(() =>
    run(() => status(io)),
  );
};

const status = async (io: CliIo): Promise<Answer> => {
  const config = readConfig(io.env);
  if (config.kafka === null)
    throw new NotReached('KAFKA_BROKERS', 'KAFKA_BROKERS is not set: this installation has no Kafka');
  const { checkBroker } = await import('./broker.ts');
  const { kafka, lifetimes } = config;
  const askBroker = () =>
    checkBroker(kafka, lifetimes).catch((error: unknown) => {
      if (!(error instanceof KafkaUnavailable)) throw error;
      throw new NotReached('KAFKA_BROKERS', error.message, { cause: error });
    });
  const servers = await io.openServers({ eventStore: true }).catch(async (error: unknown) => {
    if (error instanceof NotReached) await askBroker(); // if it is away, too, it is what was asked about
    throw error;
  });
  try {
    return presentKafka({ ...(await askBroker()), relay: await checkRelay(servers) }, Date.now());
  } finally {
    await servers.close();
  }
};

const checkRelay = async (servers: Servers): Promise<Backlog> => {
  const checkpoint = await readRelayCheckpoint(servers.databaseUrl);
  const log = connectEventStore({ url: servers.eventStoreUrl, logger: silent });
  try {
    await log.head();
    return await countBacklog(log, checkpoint, { most: 100_000, ms: 20_000 });
  } finally {
    await log.close();
  }
};
