import type { z } from 'zod';
import { eventsByCategory, personalFieldsOf, type EventType } from '../../src/domain/events.ts';
import { allowableScopes, scopes as allScopes } from '../../src/domain/access/scope.ts';
import { codec } from '../../src/eventstore/codec/codec.ts';
import { describeFields } from './describe-schema.ts';
import { fill } from './fill.ts';
import { code, codes } from './table.ts';
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
  return Object.entries(events)
    .map(([type, { schema }]) =>
      [`- ${nameOf(type as EventType)}: ${whatHappened(type as EventType)}.`, fieldsOf(type, schema, said)]
        .filter(Boolean)
        .join(' '),
    )
    .join('\n');
};

const nameOf = (type: EventType): string => {
  const version = codec.versionOf(type);
  return version === 1 ? code(type) : `${code(type)} (v${version})`;
};

/**
 * The fields whose names do not say what they hold: those with a meaning, with a list of values, or with personal data.
 *
 * @param said the values and meanings of fields that the stream has so far: each stands there until another one does
 */
const fieldsOf = (type: string, schema: z.ZodObject, said: Map<string, string>): string => {
  const unlessSaid = (about: string, text: string): string => {
    const isNew = text !== '' && text !== said.get(about);
    if (isNew) said.set(about, text);
    return isNew ? text : '';
  };
  const personal = personalFieldsOf(type) ?? [];
  const fields = Object.entries(describeFields(schema)).flatMap(([field, words]) => {
    const values = unlessSaid(`values of ${field}`, valuesOf(words));
    const meaning = unlessSaid(`meaning of ${field}`, schema.shape[field]?.description ?? '');
    if (values === '' && meaning === '') return [];
    return [`${code(field)}${values && `: ${values}`}${meaning && ` (${meaning})`}`];
  });
  return [
    ...(personal.length === 0 ? [] : [`Encrypted: ${codes(personal)}.`]),
    ...(fields.length === 0 ? [] : [`${fields.join('; ')}.`]),
  ].join(' ');
};

const scopes = codes(allowableScopes);
const details = codes(allScopes);

/** Of a field that has one of some values, other than scopes, these. */
const valuesOf = (words: string): string => {
  const [, known, values = '', orNull] = /^(?:list of )?(one of )?(.*?)( or null)?$/.exec(words) ?? [];
  const isConstant = /^`[\w-]+`$/.test(values);
  if ((known === undefined && !isConstant) || [scopes, details].includes(values)) return '';
  return `${values.replaceAll(', ', '/')}${orNull === undefined ? '' : '/null'}`;
};
