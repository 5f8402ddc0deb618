import type { z } from 'zod';
import { eventsByCategory, personalFieldsOf, type EventType } from '../../src/domain/events.ts';
import { allowableScopes, scopes as allScopes } from '../../src/domain/access/scope.ts';
import { codec } from '../../src/eventstore/codec/codec.ts';
import { describeFields } from './describe-schema.ts';
import { fill } from './fill.ts';
import { code, codes, table } from './table.ts';
import { whatHappened } from './what-happened.ts';

type Described = (typeof eventsByCategory)[keyof typeof eventsByCategory];

export const eventsPage = (): string =>
  fill(
    'events.md',
    Object.fromEntries(
      Object.entries(eventsByCategory).map(([category, events]) => [category, eventsOf(events)]),
    ),
  );

const eventsOf = (events: Described): string => {
  const explained = new Set<string>();
  return table(
    ['Event', 'v', 'What happened', 'Fields'],
    Object.entries(events).map(([type, { schema }]) => [
      code(type),
      String(codec.versionOf(type as EventType)),
      whatHappened(type as EventType),
      fieldsOf(type, schema, explained),
    ]),
  );
};

/** @param explained the meanings that the table already has: each stands there once */
const fieldsOf = (type: string, schema: z.ZodObject, explained: Set<string>): string =>
  Object.entries(describeFields(schema))
    .filter(([field]) => field !== 'at')
    .map(([field, words]) => {
      const isEncrypted = personalFieldsOf(type)?.includes(field) === true;
      const kind = shortened(words);
      const meaning = schema.shape[field]?.description ?? '';
      const isNew = meaning !== '' && !explained.has(`${field} ${meaning}`);
      explained.add(`${field} ${meaning}`);
      return [
        `${code(field)}${kind === 'string' ? '' : `: ${kind}`}`,
        ...(isEncrypted ? ['**encrypted**'] : []),
        ...(isNew ? [`(${meaning})`] : []),
      ].join(' ');
    })
    .join('; ');

const scopes = codes(allowableScopes);
const details = codes(allScopes);

/** `list of X or null` is `X[]?`. */
const shortened = (words: string): string => {
  if (words.endsWith(' or null')) return `${shortened(words.slice(0, -' or null'.length))}?`;
  if (words.startsWith('list of ')) {
    const item = shortened(words.slice('list of '.length));
    return item.includes('/') ? `(${item})[]` : `${item}[]`;
  }
  if (words === `one of ${scopes}` || words === `one of ${details}`) return 'scope';
  return words.startsWith('one of ') ? words.slice('one of '.length).replaceAll(', ', '/') : words;
};
