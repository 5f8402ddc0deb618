import type { RecordedEvent } from '../../src/eventstore/event-store.ts';
import { publishedTypes } from '../../src/kafka/contract/decisions.ts';
import { makeToMessage } from '../../src/kafka/contract/to-message.ts';
import type { ReceivedMessage } from '../../src/kafka/kafka-client.ts';
import { makeGrantOwners } from '../../src/kafka/relay/grant-owners.ts';
import { makeRelay, type RelayDependencies } from '../../src/kafka/relay/relay.ts';
import { defaultTopicNames } from '../../src/kafka/topics.ts';
import type { HttpApp } from '../support/scenes/http-app.ts';
import { memoryKafka } from '../support/memory/memory-kafka.ts';

/** Everything that the relay would have written to Kafka by now: key, headers and value of each message. */
export const messagesOf = async (
  { store, baseUrl }: Pick<HttpApp, 'store' | 'baseUrl'>,
  logger: RelayDependencies['logger'],
): Promise<readonly string[]> => {
  const kafka = memoryKafka();
  const relay = makeRelay({
    kafka: kafka.client,
    toMessage: makeToMessage({ source: baseUrl, baseUrl, topics: defaultTopicNames }),
    ownersOf: makeGrantOwners({ find: () => Promise.resolve(new Map()), store }),
    logger,
    now: () => Date.now(),
  });
  await relay.relay(await publishedEvents(store), new AbortController().signal);
  return Object.values(defaultTopicNames.out).flatMap((topic) => kafka.messages(topic).map(textOf));
};

const publishedEvents = async (store: HttpApp['store']): Promise<readonly RecordedEvent[]> => {
  const leaving = new AbortController();
  const events: RecordedEvent[] = [];
  const log = store.subscribe({ after: null, eventTypes: publishedTypes, signal: leaving.signal });
  for await (const message of log) {
    if (message.kind === 'event') events.push(message.event);
    if (message.kind === 'caught-up') break;
  }
  leaving.abort();
  return events;
};

const textOf = ({ key, value, headers }: ReceivedMessage): string =>
  [key, ...headers.flat(), value].map((part) => part?.toString('latin1') ?? '').join('\n');
