import { withClient } from '../../common/with-client.ts';
import { makeResentDeadLetters } from '../../commands/records/dead-letters.ts';
import { makeExpiredMessages } from '../../commands/records/expired-messages.ts';
import { missingOf } from '../../domain/records/expired-messages.ts';
import { connectEventStore } from '../../eventstore/client/esdb.ts';
import { silent } from '../../eventstore/logger.ts';
import { publishedTypes } from '../../kafka/contract/decisions.ts';
import { checkpointOf, readCheckpoint, type CheckpointRow } from '../../projections/follow/checkpoint.ts';
import { countBacklog } from '../../projections/operations/count-backlog.ts';
import { countParked, keysIn, type ParkedCount } from '../../projections/parking/parked-rows.ts';
import { relayCheckpoint } from '../../reactions/relay.ts';
import type { Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { NotReached } from '../base/not-reached.ts';
import type { Servers } from '../base/service.ts';
import { ledNow } from '../doctor/running.ts';
import { addDeadLetterCommands } from './dead-letters.ts';
import { type LogFacts, brokersAway, configWithKafka } from './kafka-facts.ts';
import { presentKafka } from './present-kafka.ts';

export const addKafkaCommands: AddCommands = (program, io, run) => {
  const kafka = program.command('kafka');
  leaf(kafka, 'status', 'show what needs attention, then topics, relay and ingest').action(() =>
    run(() => status(io)),
  );
  addDeadLetterCommands(kafka, io, run);
};

const status = async (io: CliIo): Promise<Answer> => {
  const { kafka, lifetimes } = configWithKafka(io);
  const { checkBroker } = await import('./broker.ts');
  const askBroker = () => checkBroker(kafka, lifetimes).catch(brokersAway);
  const servers = await io.openServers({ eventStore: true }).catch(async (error: unknown) => {
    if (error instanceof NotReached) await askBroker(); // if it is away, too, it is what was asked about
    throw error;
  });
  try {
    const broker = await askBroker();
    return presentKafka({ ...broker, ...(await readFacts(servers)) }, Date.now());
  } finally {
    await servers.close();
  }
};

const readFacts = async ({ databaseUrl, eventStoreUrl }: Servers): Promise<LogFacts> => {
  const led = await ledNow(databaseUrl);
  const connection = { connectionString: databaseUrl, connectionTimeoutMillis: 5_000 };
  const { checkpoint, parked } = await withClient(connection, async (client) => ({
    checkpoint: checkpointOf(
      (await client.query<CheckpointRow>(readCheckpoint.text, [relayCheckpoint])).rows,
    ),
    parked: keysIn((await client.query<ParkedCount>(countParked.text)).rows),
  }));
  const log = connectEventStore({ url: eventStoreUrl, logger: silent });
  try {
    await log.head();
    return {
      relay: {
        checkpoint,
        ...(await countBacklog(log, checkpoint, { eventTypes: publishedTypes, most: 100_000, ms: 20_000 })),
      },
      relayLeader: led.find(({ name }) => name === relayCheckpoint)?.leader ?? null,
      parked,
      expired: missingOf(await makeExpiredMessages({ store: log })()),
      resent: await makeResentDeadLetters({ store: log })(),
    };
  } finally {
    await log.close();
  }
};
