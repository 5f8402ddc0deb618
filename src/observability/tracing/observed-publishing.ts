import type { KafkaClient } from '../../kafka/kafka-client.ts';
import type { Operations } from './operations.ts';

/** The same client; each publishing is timed, by the topic of the first message. */
export const observedPublishing = (
  client: Pick<KafkaClient, 'publish'>,
  { around }: Pick<Operations, 'around'>,
): Pick<KafkaClient, 'publish'> => ({
  publish: (messages, signal) =>
    around('publish', messages[0]?.topic ?? 'nothing', () => client.publish(messages, signal)),
});
