import { amount } from '../base/answer.ts';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Config } from '../../config/config.ts';
import type { BrokerFacts } from '../kafka/kafka-facts.ts';
import { causeOf } from '../../common/server-away.ts';
import { makeExpiredMessages } from '../../commands/records/expired-messages.ts';
import { missingOf, type ExpiredRange } from '../../domain/records/expired-messages.ts';
import { expiredInWords } from '../../kafka/status.ts';
import { afterExpiry, expiredNow } from '../kafka/attention.ts';
import { hostAndPort } from './certificates.ts';
import type { WithLog } from './event-store.ts';
import { callMs, failure, ok, warning, type Finding, type Check } from './finding.ts';

/** Checks every broker of the settings, every topic, and the consumer group. */
export const kafkaChecks = (
  { kafka, lifetimes }: Pick<Config, 'kafka' | 'lifetimes'>,
  isStopped: () => Promise<boolean>,
  withLog: WithLog | null,
): readonly Check[] =>
  kafka === null
    ? [{ check: 'kafka', run: () => Promise.resolve(ok('kafka', 'not configured')) }]
    : [
        ...kafka.brokers.map((broker) => ({
          check: `broker ${broker}`,
          run: () => checkBrokerAddress(broker),
        })),
        {
          check: 'kafka',
          run: async () => {
            const { checkBroker } = await import('../kafka/broker.ts');
            return judge(await checkBroker(kafka, lifetimes), await isStopped());
          },
        },
        ...(withLog
          ? [
              {
                check: expiredCheck,
                run: () =>
                  withLog(async (log) =>
                    judgeExpired(missingOf(await makeExpiredMessages({ store: log })())),
                  ),
              },
            ]
          : []),
      ];

const expiredCheck = 'expired messages';

export const judgeExpired = (expired: readonly ExpiredRange[]): readonly Finding[] => {
  const found = expiredInWords(expired);
  return found.length === 0
    ? [ok(expiredCheck, 'none')]
    : found.map((each) => failure(expiredCheck, each, afterExpiry));
};

const checkBrokerAddress = async (broker: string): Promise<Finding> => {
  const check = `broker ${broker}`;
  const socket = connect({ ...hostAndPort(broker, 9092), timeout: callMs });
  socket.once('timeout', () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
  try {
    await once(socket, 'connect');
    return ok(check, 'reachable');
  } catch (error) {
    return failure(
      check,
      `cannot be reached (${causeOf(error)})`,
      'start it, or take it out of KAFKA_BROKERS',
    );
  } finally {
    socket.destroy();
  }
};

/** Reported together: one command creates all of them. */
const missingTopics = (topics: BrokerFacts['topics']): readonly Finding[] => {
  const missing = topics.filter(({ state }) => state === 'missing').map(({ name }) => name);
  return missing.length === 0
    ? []
    : [failure('topics', `missing: ${missing.join(', ')}`, 'create them: `grantbook migrate`')];
};

const judge = (
  { topics, ingest }: Pick<BrokerFacts, 'topics' | 'ingest'>,
  isStopped: boolean,
): readonly Finding[] => [
  ...missingTopics(topics),
  ...topics.flatMap(({ name, state, problems }) => {
    if (state === 'missing') return [];
    const check = `topic ${name}`;
    const [problem] = problems;
    return problem === undefined
      ? ok(check, 'there')
      : warning(check, problem, 'set it as described in docs/reference/kafka.md, "Topics"');
  }),
  ...expiredNow(ingest.partitions).map((found) => failure('ingest', found, afterExpiry)),
  ingest.members === 0 && !isStopped
    ? warning('ingest', `no consumer in the group ${ingest.name}`, 'start an instance, or check its log')
    : ok(
        'ingest',
        `${amount(ingest.members, 'member')}, ${ingest.partitions.reduce((sum, { lag }) => sum + lag, 0n)} messages behind`,
      ),
];
