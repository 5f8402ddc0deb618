import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
const [, section = ''] = /\n## What each part relies on\n([\s\S]*?)\n## /.exec(page) ?? [];

/** What is relied on, the file of the contract and the name of its test. */
const rows = [...section.matchAll(/^\| (.+?) +\| .+? \| `([\w-]+)`: (.+?) +\|$/gm)].map(
  ([, what = '', file = '', title = '']) => ({ what, file, title }),
);

/** The test of that name, as far as the next one: its options are part of it. */
const testOf = (file: string, title: string): string => {
  const folders = ['packages/eventstore-node/test/contract', 'test/contract'];
  const paths = folders.map((folder) => join(root, folder, `${file}.test.ts`));
  const source = readFileSync(paths.find(existsSync) ?? file, 'utf8');
  const at = source.indexOf(`'${title}'`);
  return at < 0 ? '' : source.slice(at, at + title.length + 60);
};

describe('OP-13: what is relied on of an event store', () => {
  test('is a list', () => {
    expect(rows.length).toBeGreaterThan(15);
    expect(rows).toHaveLength(section.split('\n').filter((line) => /^\| .*`.*`: /.test(line)).length);
  });

  test.each(rows)('OP-13: $what: a contract of every server holds it', ({ file, title }) => {
    expect(testOf(file, title)).not.toBe('');
    expect(testOf(file, title)).not.toContain('embeddedOnly');
  });

  test.each(['leader/cluster', 'server/trouble', 'server/account'])(
    'OP-13: the tests of %s are where the page says',
    (name) => {
      expect(section).toContain(`test/eventstore/${name}.system.test.ts`);
      expect(readFileSync(join(root, `test/eventstore/${name}.system.test.ts`), 'utf8')).toContain('test(');
    },
  );
});
