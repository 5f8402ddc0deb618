import type { JsonSchema } from './json-schema.ts';

/** A message of the document, with the name that channels and operations use for it. */
export type DocumentedMessage = {
  readonly name: string;
  readonly summary: string;
  readonly headers: JsonSchema;
  readonly payload: JsonSchema;
  /** Schema of the key; null where any key is allowed. */
  readonly key: JsonSchema | null;
};

export type DocumentedChannel = {
  readonly name: string;
  readonly action: 'send' | 'receive';
  readonly topic: string;
  readonly title: string;
  readonly description: string;
  readonly messages: readonly DocumentedMessage[];
};

const bindingVersion = '0.5.0';

const refs = (folder: string, names: readonly string[]) =>
  names.map((name) => ({ $ref: `#/${folder}/${name}` }));

export const channelOf = ({ topic, title, description, messages }: DocumentedChannel) => ({
  address: topic,
  title,
  description,
  messages: Object.fromEntries(messages.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }])),
  bindings: { kafka: { topic, bindingVersion } },
});

export const operationOf = ({ name, action, title, messages }: DocumentedChannel) => ({
  action,
  title,
  channel: { $ref: `#/channels/${name}` },
  messages: refs(
    `channels/${name}/messages`,
    messages.map((message) => message.name),
  ),
});

export const messageOf = ({ name, summary, headers, key }: DocumentedMessage) => ({
  name,
  title: name,
  summary,
  contentType: 'application/json',
  headers,
  payload: { $ref: `#/components/schemas/${name}` },
  ...(key && { bindings: { kafka: { key, bindingVersion } } }),
});
