import type { TopicNames } from '../../topics.ts';
import { channelsIn } from './channels-in.ts';
import { channelsOut } from './channels-out.ts';
import { channelOf, messageOf, operationOf } from './parts.ts';

export type AsyncApiAbout = {
  readonly issuer: string;
  readonly baseUrl: string;
  readonly version: string;
  readonly topics: TopicNames;
  /** False: this installation has no Kafka, and the topics have their default names. */
  readonly isConfigured?: boolean;
};

const introduction = `Grantbook publishes every authorization decision, and reads the host platform's records. Addresses are topics of the platform's own Kafka.

Messages are published at least once, in order for each key, and without gaps: process each ce_id once, or ignore a ce_sequence that is not above the last of its topic and key. Fields may be added to a message: ignore what you do not know. Anything else that changes is a new ce_type, with the next version at its end.

Messages contain no secrets, no names, no addresses and no actors. Ids are opaque; of a user's own grants the user's id is the subject.`;

const withoutKafka = `This Grantbook runs without Kafka (KAFKA_BROKERS is not set): no messages are published or read, and the addresses below are the default names of the topics.

`;

/** The AsyncAPI 3.0 document, the contract with applications over Kafka; the same for the same settings. */
export const asyncApiDocument = ({ topics, version, isConfigured = true, ...about }: AsyncApiAbout) => {
  const channels = [...channelsOut(topics.out, about), ...channelsIn(topics)];
  const messages = channels.flatMap((channel) => channel.messages);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Grantbook',
      version,
      description: isConfigured ? introduction : withoutKafka + introduction,
      externalDocs: { url: `${about.baseUrl}/docs`, description: 'The HTTP interface.' },
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(channels.map((channel) => [channel.name, channelOf(channel)])),
    operations: Object.fromEntries(
      channels.map((channel) => [`${channel.action}-${channel.name}`, operationOf(channel)]),
    ),
    components: {
      messages: Object.fromEntries(messages.map((message) => [message.name, messageOf(message)])),
      schemas: Object.fromEntries(messages.map(({ name, payload }) => [name, payload])),
    },
  };
};
