import { parseArgs } from 'node:util';
import { whyNoOwnBroker } from './broker-files.ts';
import { startKafkaBroker } from './start-broker.ts';

/** `npm run kafka`: a broker in the foreground; its data is deleted at the end. */
const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '9092' } } });
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535)
    throw new Error('--port takes a number, for example 9092');
  const why = await whyNoOwnBroker();
  if (why !== null) throw new Error(why);
  const told = new Promise<null>((resolve) => {
    process.once('SIGINT', () => resolve(null));
    process.once('SIGTERM', () => resolve(null));
  });
  const broker = await startKafkaBroker(values.port === '0' ? {} : { port: Number(values.port) });
  console.log(
    `Apache Kafka listens; use it with KAFKA_BROKERS=${broker.brokers} (Ctrl-C ends it, its data goes)`,
  );
  const log = await Promise.race([told, broker.ended()]);
  await broker.close();
  if (log !== null) throw new Error(`Apache Kafka has ended by itself:\n${log}`);
};

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
