import type { TestProject } from 'vitest/node';
import { whyNoOwnBroker } from './broker-files.ts';
import { accepts, startKafkaBroker, type KafkaBroker } from './start-broker.ts';

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merging needs an interface
  interface ProvidedContext {
    /** `host:port,…` of a real broker for all files of the run; null if there is none. */
    kafkaBrokers: string | null;
    /** Whether a test can start brokers of its own. */
    kafkaStartable: boolean;
  }
}

/**
 * One broker per run: that of `KAFKA_BROKERS`, or our own. Without one, the tests are skipped and the end of the run
 * prints the reason. @throws if there is none, and `GRANTBOOK_KAFKA=required`
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['KAFKA_BROKERS'];
  if (given) {
    await reach(given);
    const why = await whyNoOwnBroker();
    project.provide('kafkaBrokers', given);
    project.provide('kafkaStartable', why === null);
    return why === null ? undefined : refuseOrSay(sayOwn(why));
  }
  const broker = await ownBroker();
  const isThere = typeof broker !== 'string';
  project.provide('kafkaBrokers', isThere ? broker.brokers : null);
  project.provide('kafkaStartable', isThere);
  return isThere ? () => broker.close() : refuseOrSay(sayNone(broker));
}

/** Our own broker, or the reason why there is none. */
const ownBroker = async (): Promise<KafkaBroker | string> =>
  (await whyNoOwnBroker()) ?? startKafkaBroker().catch((error: Error) => error.message);

const refuseOrSay = (text: string) => {
  if (process.env['GRANTBOOK_KAFKA'] === 'required') throw new Error(text);
  return say(text);
};

/** Prints at the end of the run, where it is noticed. */
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

const afterwards = 'Then run: npx vitest run test/kafka/broker';

const sayOwn = (why: string) =>
  `Some tests in test/kafka/broker were skipped: they start brokers of their own. ${why} ${afterwards}`;

const sayNone = (why: string) =>
  `The tests in test/kafka/broker were skipped: there is no Kafka. ${why} Or set KAFKA_BROKERS to a broker. ${afterwards}`;
