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
  const said = new Map<string, string>();
  return table(
    ['Event', 'What happened', 'Fields'],
    Object.entries(events).map(([type, { schema }]) => [
      nameOf(type as EventType),
      whatHappened(type as EventType),
      fieldsOf(type, schema, said),
    ]),
  );
};

const nameOf = (type: EventType): string => {
  const version = codec.versionOf(type);
  return version === 1 ? code(type) : `${code(type)} (version ${version})`;
};

/** @param said the types and meanings of fields that the table has so far: each stands there until another one does */
const fieldsOf = (type: string, schema: z.ZodObject, said: Map<string, string>): string => {
  const isNew = (about: string, text: string, usual = ''): boolean => {
    const last = said.get(about) ?? usual;
    if (text !== '') said.set(about, text);
    return text !== '' && text !== last;
  };
  return Object.entries(describeFields(schema))
    .filter(([field]) => field !== 'at')
    .map(([field, words]) => {
      const kind = shortened(words);
      const meaning = schema.shape[field]?.description ?? '';
      return [
        `${code(field)}${isNew(`type of ${field}`, kind, usualType(field)) ? `: ${kind}` : ''}`,
        ...(personalFieldsOf(type)?.includes(field) === true ? ['**encrypted**'] : []),
        ...(isNew(`meaning of ${field}`, meaning) ? [`(${meaning})`] : []),
      ].join(' ');
    })
    .join('; ');
};

/** What the page says once of fields with such names, and of all others. */
const usualType = (field: string): string =>
  /(?:At|Until)$|^(?:until|epoch|version|rotation)$/.test(field) ? 'integer' : 'string';

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
  if (words.startsWith('one of ')) return words.slice('one of '.length).replaceAll(', ', '/');
  return words.startsWith('{') ? shortenedParts(words) : words;
};

const shortenedParts = (object: string): string =>
  object
    .replaceAll(/one of (`\S+`), (`\S+`)/g, '$1/$2')
    .replaceAll(/list of (\w+)/g, '$1[]')
    .replaceAll(/(\S+) or null/g, '$1?')
    .replaceAll(/: string(?=[, ])/g, '');
