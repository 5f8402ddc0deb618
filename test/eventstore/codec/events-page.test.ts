import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type EventType, personalFieldsOf, eventsByCategory } from '../../../src/domain/events.ts';
import { codec } from '../../../src/eventstore/codec/codec.ts';
import { describeFields } from './describe-schema.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/events.md'), 'utf8');

/** The sections by stream category, each with the cells of its rows. */
const sections = Object.fromEntries(
  page
    .split(/\n## Stream /)
    .slice(1)
    .map((section) => {
      const category = /^`(\w+)-/.exec(section)?.[1] ?? section.slice(0, 20);
      const rows = [...section.matchAll(/^\|(.+)\|$/gm)].map(([, row = '']) =>
        row.split('|').map((cell) => cell.trim()),
      );
      return [category, rows.filter(([first]) => first?.startsWith('`'))];
    }),
);

test('docs/reference/events.md names every stream category and no other', () => {
  expect(Object.keys(sections)).toEqual(Object.keys(eventsByCategory));
});

test.each(Object.entries(eventsByCategory))(
  'docs/reference/events.md names the events of %s with their versions, and says what happened',
  (category, events) => {
    const versions = (sections[category] ?? []).filter((row) => row.length === 3);
    expect(versions.map(([type, version]) => [type, version])).toEqual(
      Object.keys(events).map((type) => [`\`${type}\``, String(codec.versionOf(type as EventType))]),
    );
    expect(versions.filter(([, , meaning]) => !meaning)).toEqual([]);
  },
);

test.each(Object.entries(eventsByCategory))(
  'docs/reference/events.md names every field of the events of %s with its type and a meaning',
  (category, events) => {
    const fields = (sections[category] ?? []).filter((row) => row.length === 4);
    expect(fields.map(([type, field, words]) => [type, field, words])).toEqual(
      Object.entries(events).flatMap(([type, { schema }]) =>
        Object.entries(describeFields(schema)).map(([field, words]) => [
          `\`${type}\``,
          `\`${field}\``,
          words,
        ]),
      ),
    );
    expect(fields.filter(([, , , meaning]) => !meaning)).toEqual([]);
  },
);

test('docs/reference/events.md says which fields are encrypted, and of no other that it is', () => {
  const rows = Object.values(sections).flatMap((all) => all.filter((row) => row.length === 4));
  const said = rows.filter(([, , , meaning]) => meaning?.endsWith('; encrypted'));
  const encrypted = rows.filter(([type = '', field = '']) =>
    personalFieldsOf(type.slice(1, -1))?.includes(field.slice(1, -1)),
  );
  expect(said).toEqual(encrypted);
  expect(encrypted.length).toBeGreaterThan(0);
});
