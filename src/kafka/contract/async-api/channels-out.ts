import type { TopicNames } from '../../topics.ts';
import { publications } from '../decisions.ts';
import type { IdentityKind } from '../identity.ts';
import { schemaAddress, writtenSchema, type JsonSchema } from './json-schema.ts';
import type { DocumentedChannel, DocumentedMessage } from './parts.ts';

const ulid = '[0-7][0-9A-HJKMNP-TV-Z]{25}';

const pair = {
  type: 'string',
  pattern: `^${ulid}\\.${ulid}$`,
  description: '<organization_id>.<addon_id>; for a user’s own records <user_id>.<addon_id>.',
};

const keys: Readonly<Record<IdentityKind, JsonSchema>> = {
  activation: pair,
  grant: pair,
  consent: pair,
  addon: { type: 'string', pattern: `^${ulid}$`, description: '<addon_id>.' },
  organization: { type: 'string', pattern: `^${ulid}$`, description: '<organization_id>.' },
};

const text = (description: string) => ({ type: 'string', description });

/** CloudEvents 1.0, binary mode of the Kafka protocol binding. Header values are UTF-8 text. */
const headersOf = (type: string, { issuer, baseUrl }: About): JsonSchema => ({
  type: 'object',
  required: [
    'ce_specversion',
    'ce_id',
    'ce_source',
    'ce_type',
    'ce_subject',
    'ce_time',
    'ce_partitionkey',
    'ce_sequence',
    'ce_dataschema',
    'content-type',
  ],
  properties: {
    ce_specversion: { const: '1.0' },
    ce_id: { ...text('The event’s own id: a repeated message has the same id.'), format: 'uuid' },
    ce_source: { const: issuer },
    ce_type: { const: type },
    ce_subject: text('The stream of the event, such as grant-<grant_id>.'),
    ce_time: { ...text('When it was decided, RFC 3339 in UTC.'), format: 'date-time' },
    ce_partitionkey: text('The message’s key.'),
    ce_sequence: {
      ...text(
        'The event’s place in the log: of two events, of whatever topics, the later one has the greater text.',
      ),
      pattern: '^\\d{20}\\.\\d{20}$',
    },
    ce_traceparent: text('W3C Trace Context of the request that decided it, where it is known.'),
    ce_dataschema: { const: schemaAddress(baseUrl, type) },
    'content-type': { const: 'application/json' },
  },
});

type About = { readonly issuer: string; readonly baseUrl: string };

const messagesOf = (topic: keyof TopicNames['out'], about: About): readonly DocumentedMessage[] =>
  publications
    .filter(({ message }) => message.topic === topic)
    .map(({ message }) => ({
      name: message.type,
      summary: message.summary,
      headers: headersOf(message.type, about),
      payload: writtenSchema(message.data),
      key: keys[message.identity],
    }));

export const channelsOut = (topics: TopicNames['out'], about: About): readonly DocumentedChannel[] => [
  {
    name: 'activations',
    action: 'send',
    topic: topics.activations,
    title: 'Which add-ons organizations have switched on, and which organizations are closed',
    description: 'In order for each organization and add-on, and for each organization itself.',
    messages: messagesOf('activations', about),
  },
  {
    name: 'grants',
    action: 'send',
    topic: topics.grants,
    title: 'Every decision about a grant, and consents',
    description:
      'In order for each organization (or user) and add-on. A grant is never readable before its activation.',
    messages: messagesOf('grants', about),
  },
  {
    name: 'addons',
    action: 'send',
    topic: topics.addons,
    title: 'Which add-ons there are, and which are suspended',
    description: 'In order for each add-on.',
    messages: messagesOf('addons', about),
  },
];
