import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultTopicNames } from '../../../src/kafka/topics.ts';
import { messageFixtures } from './message-fixtures.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');
const page = read('docs/reference/kafka.md');

const rows = [...page.matchAll(/^\|(.+)\|$/gm)].map(([, row = '']) =>
  row.split('|').map((cell) => cell.trim()),
);

test('docs/reference/kafka.md names every topic and every header', () => {
  const named = rows.map(([first]) => first);
  const { out, in: into, deadLetter } = defaultTopicNames;
  const topics = [...Object.values(out), ...Object.values(into), deadLetter];
  const headers = [...new Set(messageFixtures.flatMap(({ message }) => Object.keys(message.headers)))];
  const expected = [...topics, ...headers.filter((name) => name !== 'ce_specversion')];
  expect(expected.filter((name) => !named.includes(`\`${name}\``))).toEqual([]);
});

test('the worked consumer has 30 lines', () => {
  const source = read('docs/examples/refuse-revoked.ts');
  expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
});
