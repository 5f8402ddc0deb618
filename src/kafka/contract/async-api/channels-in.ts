import type { z } from 'zod';
import { recordResources, type RecordResource } from '../../../domain/records/record-resources.ts';
import { recordSchema, removedRecord } from '../../records/schemas.ts';
import { ownId, recordId } from '../../../domain/kernel/ids.ts';
import * as fields from '../../records/fields.ts';
import type { TopicNames } from '../../topics.ts';
import { readSchema, type JsonSchema } from './json-schema.ts';
import type { DocumentedChannel, DocumentedMessage } from './parts.ts';

const none: JsonSchema = { type: 'object' };

type ObjectSchema = JsonSchema & {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
};

/** A line of the import, with the id of its organization. */
const ofOrganization = (schema: z.ZodType): JsonSchema => {
  const { properties, required, ...rest } = readSchema(schema) as ObjectSchema;
  return {
    ...rest,
    properties: { organization_id: readSchema(fields.ownId), ...properties },
    required: ['organization_id', ...required],
  };
};

const tombstone = (record: string): DocumentedMessage => ({
  name: `${record}-tombstone`,
  summary: 'Removes a record: no value, the key says which, the header which version of it.',
  headers: {
    type: 'object',
    required: ['version'],
    properties: { version: { type: 'string', pattern: '^[1-9]\\d{0,15}$' } },
  },
  payload: { type: 'null' },
  key: {
    type: 'string',
    pattern: `${ownId.pattern.slice(0, -1)}\\.${recordId.pattern.slice(1)}`,
    description: '<organization_id>.<id>: the id is all that follows the first dot.',
  },
});

const messagesOf = (resource: RecordResource): readonly DocumentedMessage[] => [
  {
    name: resource.message,
    summary: 'A record as it is now. The highest version counts, in whatever order they come.',
    headers: none,
    payload: ofOrganization(recordSchema(resource)),
    key: null,
  },
  {
    name: `${resource.message}-removal`,
    summary: 'Removes a record.',
    headers: none,
    payload: ofOrganization(removedRecord),
    key: null,
  },
  tombstone(resource.message),
];

const text = (description: string) => ({ type: 'string', description });

const deadLetter: DocumentedMessage = {
  name: 'dead-letter',
  summary: 'A message that cannot be used, with its key, value and headers as they came.',
  headers: {
    type: 'object',
    required: [
      'grantbook-reason',
      'grantbook-topic',
      'grantbook-partition',
      'grantbook-offset',
      'grantbook-time',
    ],
    properties: {
      'grantbook-reason': {
        enum: ['unreadable', 'invalid', 'unknown-organization', 'version-conflict', 'failed'],
      },
      'grantbook-problems': text(
        'What is wrong, as JSON: a list of {"field", "message"}. Never what was sent.',
      ),
      'grantbook-topic': text('Where it came from.'),
      'grantbook-partition': text('Its partition there.'),
      'grantbook-offset': text('Its offset there.'),
      'grantbook-time': {
        ...text('When it was moved to the dead letters, RFC 3339 in UTC.'),
        format: 'date-time',
      },
      'grantbook-left-out': text(
        'What was left out because the broker refused its size; the original is in its topic, at the offset.',
      ),
      'grantbook-value-bytes': text('Length of the value that was left out.'),
      'grantbook-value-sha256': text('SHA-256 of it, hexadecimal.'),
    },
  },
  payload: { description: 'Whatever was sent.' },
  key: null,
};

export const channelsIn = ({
  in: topics,
  deadLetter: letters,
}: Pick<TopicNames, 'in' | 'deadLetter'>): readonly DocumentedChannel[] => [
  ...recordResources.map((resource) => {
    const { key: name, words } = resource;
    return {
      name,
      action: 'receive',
      topic: topics[name],
      title: `${words.many.charAt(0).toUpperCase()}${words.many.slice(1)} of the host platform`,
      description: 'The host platform owns these records; Grantbook keeps a copy for add-ons to read.',
      messages: messagesOf(resource),
    } as const;
  }),
  {
    name: 'deadLetters',
    action: 'send',
    topic: letters,
    title: 'Messages of the host platform that cannot be used',
    description: 'The sender inspects and resends them. They contain the original personal data.',
    messages: [deadLetter],
  },
];
