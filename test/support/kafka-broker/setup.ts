import type { TestProject } from 'vitest/node';
import { missingForBroker } from './broker-files.ts';
import { accepts, startKafkaBroker } from './start-broker.ts';

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merging needs an interface
  interface ProvidedContext {
    /** `host:port,…` of a real broker for all files of the run; null where there is none. */
    kafkaBrokers: string | null;
    /** Whether a test can start brokers of its own. */
    kafkaStartable: boolean;
  }
}

/** One broker a run: the one of `KAFKA_BROKERS`, or one of our own. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const missing = await missingForBroker();
  const given = process.env['KAFKA_BROKERS'];
  project.provide('kafkaStartable', missing.length === 0);
  if (given) {
    await reach(given);
    project.provide('kafkaBrokers', given);
    return missing.length === 0 ? undefined : say(sayOwn(missing));
  }
  if (missing.length > 0) {
    project.provide('kafkaBrokers', null);
    if (process.env['GRANTBOOK_KAFKA'] === 'required') throw new Error(sayMissing(missing));
    return say(sayMissing(missing));
  }
  const broker = await startKafkaBroker();
  project.provide('kafkaBrokers', broker.brokers);
  return () => broker.close();
}

/** At the end of the run, where it is read. */
const say = (text: string) => () => Promise.resolve(void process.stderr.write(`\n${text}\n`));

const reach = async (given: string): Promise<void> => {
  for (const address of given.split(',')) {
    const [host = '', port = ''] = address.trim().split(/:(?=\d+$)/);
    if (await accepts(Number(port), host)) return;
  }
  throw new Error(
    `No broker of KAFKA_BROKERS (${given}) can be reached. Start one, or unset it: the tests start their own.`,
  );
};

const sayOwn = (missing: readonly string[]) =>
  `Some tests in test/kafka/broker were skipped: they start brokers of their own. Install ${missing.join(' and ')}` +
  ' (Debian: openjdk-17-jre-headless, maven), and run: npx vitest run test/kafka/broker';

const sayMissing = (missing: readonly string[]) =>
  `The tests in test/kafka/broker were skipped: there is no Kafka. Install ${missing.join(' and ')}` +
  ' (Debian: openjdk-17-jre-headless, maven), or set KAFKA_BROKERS to a broker, and run: npx vitest run test/kafka/broker';
