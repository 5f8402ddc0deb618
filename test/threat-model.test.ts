import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const text = readFileSync(join(import.meta.dirname, '../docs/explanation/threat-model.md'), 'utf8');

/** Those that CL-04 names. */
const parties = [
  'Network client',
  'Add-on',
  'User',
  'Administrator',
  'Auditor',
  'Operator',
  'Another local user',
  'Writer of Postgres',
  'Writer of the event store',
  'Holder of `TOKEN_KEYS`',
  'Holder of `PERSONAL_DATA_KEYS`',
];

const sectionOf = (party: string): string => {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${party}\n`));
  if (section === undefined) throw new Error(`docs/explanation/threat-model.md has no section "${party}"`);
  return section;
};

/** The rows of the table whose first column is headed so, cells trimmed. */
const rowsOf = (section: string, heading: string): readonly (readonly string[])[] => {
  const lines = section.split('\n');
  const start = lines.findIndex((line) => line.startsWith('|') && line.split('|')[1]?.trim() === heading);
  if (start === -1) return [];
  const after = lines.slice(start + 2);
  const end = after.findIndex((line) => !line.startsWith('|'));
  return after.slice(0, end === -1 ? undefined : end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
};

describe('CL-04: the threat model', () => {
  test.each(parties)('says what %s can do, and why that is accepted', (party) => {
    const rows = rowsOf(sectionOf(party), 'it can');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(([, why]) => !why)).toEqual([]);
  });

  test.each(parties)('says what %s cannot do, and each sentence names a test that exists', (party) => {
    const rows = rowsOf(sectionOf(party), 'it cannot');
    expect(rows.length).toBeGreaterThan(0);
    const unproven = rows.filter(([, named = '']) => {
      const tests = [...named.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
      return tests.length === 0 || tests.some((path) => !existsSync(join(import.meta.dirname, path)));
    });
    expect(unproven).toEqual([]);
  });
});
