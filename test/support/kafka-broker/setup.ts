import type { TestProject } from 'vitest/node';
import { missingForBroker } from './broker-files.ts';
import { startKafkaBroker } from './start-broker.ts';

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merging needs an interface
  interface ProvidedContext {
    /** `host:port,…` of a real broker for all files of the run; null where there is none. */
    kafkaBrokers: string | null;
  }
}

/** One broker a run: the one of `KAFKA_BROKERS`, or one of our own. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['KAFKA_BROKERS'];
  if (given) {
    project.provide('kafkaBrokers', given);
    return;
  }
  const missing = await missingForBroker();
  if (missing.length > 0) {
    project.provide('kafkaBrokers', null);
    if (process.env['GRANTBOOK_KAFKA'] === 'required') throw new Error(sayMissing(missing));
    return () => Promise.resolve(void process.stderr.write(`\n${sayMissing(missing)}\n`));
  }
  const broker = await startKafkaBroker();
  project.provide('kafkaBrokers', broker.brokers);
  return () => broker.close();
}

const sayMissing = (missing: readonly string[]) =>
  `The tests in test/kafka/broker were skipped: there is no Kafka. Install ${missing.join(' and ')}` +
  ' (Debian: openjdk-17-jre-headless, maven), or set KAFKA_BROKERS to a broker, and run: npx vitest run test/kafka/broker';
