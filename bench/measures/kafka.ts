import pg from 'pg';
import { readConfig } from '../../src/config/config.ts';
import { pino } from 'pino';
import { startEnsuringTopics } from '../../src/kafka/ensure-topics.ts';
import { toConnection } from '../../src/kafka/kafkajs/connection.ts';
import { makeKafkaTopics } from '../../src/kafka/kafkajs/topics.ts';
import { startBenchBroker } from '../kafka/broker.ts';
import { ingestRates } from '../kafka/ingest-rate.ts';
import { relayRates } from '../kafka/relay-rate.ts';
import { timeUntilReadable } from '../kafka/until-readable.ts';
import { percentile } from '../percentile.ts';
import { result, type Result } from '../results.ts';
import { startStage } from '../revocation/stage.ts';
import { tell } from '../tell.ts';

type Options = { readonly grants: number; readonly rounds: number; readonly records: number };

/** Both directions of Kafka, on a broker of its own; no results if none can be started. */
export const measureKafka = async ({ grants, rounds, records }: Options): Promise<readonly Result[]> => {
  const broker = await startBenchBroker();
  if (!broker) {
    tell('kafka is skipped: no broker can be started here');
    return [];
  }
  tell(`seeding ${grants} live grants`);
  const stage = await startStage([grants]);
  const pool = new pg.Pool({ connectionString: stage.databaseUrl, max: 2 });
  pool.on('error', () => undefined);
  try {
    await makeTopics(stage.env, broker.brokers);
    const { relay, bare, unsent, messages } = await relayRates(stage, pool, broker.brokers);
    tell(`${rounds} deactivations`);
    const times = await timeUntilReadable(stage, broker.brokers, rounds);
    tell(`${records} records`);
    const ingest = await ingestRates(stage, broker.brokers, { records, seconds: 4 });
    return [
      result('relay-unsent', unsent, 'messages/s', messages),
      result('relay', relay, 'messages/s', messages, bare),
      result('deactivation-to-readable-p50', percentile(times, 0.5), 'ms', rounds),
      result('deactivation-to-readable-p99', percentile(times, 0.99), 'ms', rounds),
      result('bare-consumer', ingest.bare, 'messages/s', records),
      result('ingest', ingest.first, 'messages/s', records, ingest.appends),
    ];
  } finally {
    await pool.end();
    await stage.close();
    await broker.close();
  }
};

const makeTopics = async (env: NodeJS.ProcessEnv, brokers: string): Promise<void> => {
  const { kafka, lifetimes } = readConfig({ ...env, KAFKA_BROKERS: brokers });
  if (!kafka) throw new Error('the bench has no brokers');
  const connection = toConnection(kafka, pino({ level: 'silent' }));
  const topics = makeKafkaTopics({ connection, config: kafka, grantSeconds: lifetimes.refreshAbsolute });
  await startEnsuringTopics({ topics, logger: connection.logger }).ready; // a broker that has just started may need retries
};
