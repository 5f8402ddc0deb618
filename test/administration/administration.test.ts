import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entities } from '../../src/administration/entities.ts';
import { fieldsOf } from '../../src/administration/fields.ts';
import type { Entity } from '../../src/administration/task.ts';
import { addressOf } from '../../src/http/operator/api-paths.ts';

/** The cells of each table row, without padding. */
const rows = readFileSync(join(import.meta.dirname, '../../docs/reference/administration.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
      .join(' | '),
  );

const listRow = ({ name, plural, filters }: Entity) =>
  `\`grantbook ${name} list\`, \`GET /operator/api/${plural}\`, \`/operator/${plural}\` | ${fieldsOf(filters)
    .map((field) => `\`${field.name}\``)
    .join(', ')}`;

const partRows = ({ name, plural, idKey, parts = [] }: Entity) =>
  parts.map(
    (part) =>
      `\`grantbook ${name} ${part.name} ID\`, \`GET ${addressOf({ plural, idKey } as Entity)}/${part.name}\`, \`/operator/${plural}/{${idKey}}/${part.name}\` | `,
  );

const taskRows = (about: Entity) => [
  ...about.tasks.map(({ name, isProperty, effect }) => {
    const call = isProperty ? `PATCH ${addressOf(about)}` : `POST ${addressOf(about)}/${name}`;
    return `\`grantbook ${about.name} ${name} ID\` | \`${call}\` | ${effect}`;
  }),
  ...(about.making ?? []).map(
    ({ name, effect }) =>
      `\`grantbook ${about.name} ${name}\` | \`POST /operator/api/${about.plural}/${name}\` | ${effect}`,
  ),
];

test('AM-10 to AM-13: docs/reference/administration.md names every list and every task with its effect', () => {
  const missing = entities.flatMap((about) => [listRow(about), ...partRows(about), ...taskRows(about)]);
  expect(missing.filter((row) => !rows.includes(row))).toEqual([]);
});
