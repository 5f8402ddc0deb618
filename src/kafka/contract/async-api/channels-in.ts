import type { z } from 'zod';
import {
  accessRightRecord,
  profileRecord,
  removedRecord,
  reservationRecord,
} from '../../../records/schemas.ts';
import { recordId } from '../../../records/fields.ts';
import type { TopicNames } from '../../topics.ts';
import { readSchema, type JsonSchema } from './json-schema.ts';
import type { DocumentedChannel, DocumentedMessage } from './parts.ts';

const none: JsonSchema = { type: 'object' };

type ObjectSchema = JsonSchema & {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
};

/** A line of the import, with the organization that it is of. */
const ofOrganization = (schema: z.ZodType): JsonSchema => {
  const { properties, required, ...rest } = readSchema(schema) as ObjectSchema;
  return {
    ...rest,
    properties: { organization_id: readSchema(recordId), ...properties },
    required: ['organization_id', ...required],
  };
};

const tombstone = (resource: string): DocumentedMessage => ({
  name: `${resource}-tombstone`,
  summary: 'Removes a record: no value, the key says which, the header which version of it.',
  headers: {
    type: 'object',
    required: ['version'],
    properties: { version: { type: 'string', pattern: '^[1-9]\\d{0,15}$' } },
  },
  payload: { type: 'null' },
  key: {
    type: 'string',
    pattern: '^[A-Za-z0-9_]{1,64}\\.[A-Za-z0-9_]{1,64}$',
    description: '<organization_id>.<id>.',
  },
});

const messagesOf = (resource: string, schema: z.ZodType): readonly DocumentedMessage[] => [
  {
    name: resource,
    summary: 'A record as it is now. The highest version counts, in whatever order they come.',
    headers: none,
    payload: ofOrganization(schema),
    key: null,
  },
  {
    name: `${resource}-removal`,
    summary: 'Removes a record.',
    headers: none,
    payload: ofOrganization(removedRecord),
    key: null,
  },
  tombstone(resource),
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
      'grantbook-time': { ...text('When it was given up, RFC 3339 in UTC.'), format: 'date-time' },
      'grantbook-left-out': text(
        'What the broker did not take a second time; it is in its topic, at the offset.',
      ),
      'grantbook-value-bytes': text('How long the value was that was left out.'),
      'grantbook-value-sha256': text('SHA-256 of it, hexadecimal.'),
    },
  },
  payload: { description: 'Whatever was sent.' },
  key: null,
};

/** What Grantbook receives, and where it puts what it cannot use. */
export const channelsIn = ({
  in: topics,
  deadLetter: letters,
}: Pick<TopicNames, 'in' | 'deadLetter'>): readonly DocumentedChannel[] => {
  const records = (name: keyof TopicNames['in'], title: string, resource: string, schema: z.ZodType) =>
    ({
      name,
      action: 'receive',
      topic: topics[name],
      title,
      description: 'The host platform owns these records; Grantbook keeps a copy for add-ons to read.',
      messages: messagesOf(resource, schema),
    }) as const;
  return [
    records('profiles', 'Profiles of the host platform', 'profile', profileRecord),
    records('reservations', 'Reservations of the host platform', 'reservation', reservationRecord),
    records('accessRights', 'Access rights of the host platform', 'access-right', accessRightRecord),
    {
      name: 'deadLetters',
      action: 'send',
      topic: letters,
      title: 'Messages of the host platform that cannot be used',
      description:
        'To be looked at and sent again by whoever sent them. They hold what they held: personal data.',
      messages: [deadLetter],
    },
  ];
};
