import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { citationsBelow, citationsIn } from './support/documents/cited-requirements.ts';

/** Every sentence of the requirements has an ID, and every ID a test whose name cites it. */

const kept = join(import.meta.dirname, '../docs/requirements');
const given = join(import.meta.dirname, '../../shared/requirements');

/** Sentences that hold, and those of work that has not begun. */
const documents = [
  'authorization-server.md',
  'marketplace-and-lists.md',
  'hardening.md',
  'people-and-administration.md',
  'signals.md',
  'found-outside.md',
  'adoption.md',
  'pages.md',
] as const;
const plannedDocuments = ['sender-constrained.md', 'partners.md'] as const;
const requirementPattern = /^(?:- |\| )([A-Z]{1,2}-\d{2,3}) (?:\| )?(.*)$/gm;

const read = (name: string): string => readFileSync(join(kept, name), 'utf8');
const requirementsIn = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(requirementPattern)].map(([, id = '', sentence = '']) => [id, sentence]));

const requirements = new Map(documents.flatMap((name) => [...requirementsIn(read(name))]));
const later = new Map(plannedDocuments.flatMap((name) => [...requirementsIn(read(name))]));

/** Planned, in files whose other sentences hold. Whoever cites one takes it off this list. */
const planned = ['FX-53', 'FX-56'];

/** Not cited, and why. Whoever cites one takes it off this list. */
const exceptions: Readonly<Record<string, string>> = {
  ...Object.fromEntries(planned.map((id) => [id, 'planned'])),
  'PA-01': 'pushed authorization requests are later work',
  'DP-01': 'DPoP is later work',
  'SG-10': 'a speed: npm run bench -- --only signals prints it, and bench/README.md has the figures',
};

const packages = ['eventstore-node', 'verify'].map((name) =>
  join(import.meta.dirname, '../packages', name, 'test'),
);
const citations = [import.meta.dirname, ...packages].flatMap(citationsBelow);
const cited = new Set(citations.map(({ id }) => id));
const familyOf = (id: string): string => id.replace(/-.*/, '');
const families = new Set([...requirements.keys(), ...later.keys()].map(familyOf));

const counted = (all: ReadonlyMap<string, string>): string => {
  const counts = new Map<string, number>();
  for (const id of all.keys()) counts.set(familyOf(id), (counts.get(familyOf(id)) ?? 0) + 1);
  return [...counts].map(([family, count]) => `${family} ${count}`).join(', ');
};

test('docs/requirements holds every requirement', () => {
  expect(counted(requirements)).toBe(
    'G 8, AZ 42, TK 12, TC 15, RT 18, RV 8, IN 7, MD 7, UI 4, JW 3, ID 1, RS 3, DA 6, PA 1, DP 1, ' +
      'AD 2, AC 5, DE 6, SU 1, LI 10, GR 7, DO 6, CL 12, TR 5, OP 13, HI 6, FE 8, AM 10, SG 13, FX 96, AP 14, PG 24',
  );
  expect(counted(later)).toBe('PA 3, DP 5, PK 1, FA 5, PT 8');
});

test('the list of its files says of each which sentences it has, and whether they hold or are planned', () => {
  const listed = [
    ...read('README.md').matchAll(/^\| \[[^\]]+\]\(([\w-]+\.md)\) *\| ([^|]*?) *\| (\w+) *\|$/gm),
  ];
  const rowOf = (state: string) => (name: string) => [
    name,
    [...new Set([...requirementsIn(read(name)).keys()].map(familyOf))].join(', '),
    state,
  ];
  expect(listed.map(([, ...cells]) => cells).filter(([name]) => name !== 'interface.md')).toEqual([
    ...documents.map(rowOf('holds')),
    ...plannedDocuments.map(rowOf('planned')),
  ]);
});

test('where the project was given other sentences since, that is said', () => {
  const differing = [...documents, ...plannedDocuments, 'interface.md'].flatMap((name) => {
    const theirs = existsSync(join(given, name)) ? readFileSync(join(given, name), 'utf8').split('\n') : [];
    const ours = new Set(read(name).split('\n'));
    return theirs.filter((line) => !ours.has(line)).map((line) => `${name}: ${line}`);
  });
  for (const line of differing) process.stderr.write(`not in docs/requirements: ${line}\n`);
  expect(process.env['GRANTBOOK_SHARED'] === 'required' ? differing : []).toEqual([]);
});

test('every requirement is cited by the name of a test, or excepted for a reason', () => {
  const missing = [...requirements].filter(([id]) => !cited.has(id) && !Object.hasOwn(exceptions, id));
  expect(missing.map(([id, sentence]) => `${id} ${sentence}`)).toEqual([]);
});

test('an exception is a requirement that no test cites', () => {
  expect(Object.keys(exceptions).filter((id) => cited.has(id) || !requirements.has(id))).toEqual([]);
});

test('no test cites what is no requirement', () => {
  const unknown = citations.filter(
    ({ id }) => families.has(familyOf(id)) && !requirements.has(id) && !later.has(id),
  );
  expect(unknown.map(({ id, file, title }) => `${id} in ${file}: ${title}`)).toEqual([]);
});

describe('what counts as a citation', () => {
  test.each([
    ["test('AA-01: it holds', () => {});", ['AA-01']],
    ["describe('AA-01, AA-02', () => { it('works', () => {}); });", ['AA-01', 'AA-02']],
    ["test.each([['AA-01', 1], ['AA-02', 2]])('%s: it holds', () => {});", ['AA-01', 'AA-02']],
    ["const rows = [{ id: 'AA-01' }]; test.each(rows)('$id holds', () => {});", ['AA-01']],
    ['test.skipIf(slow)(`AA-01: ${much}`, () => {});', ['AA-01']],
    ["test.each([['AA-02', 1]])('AA-01: always', () => {});", ['AA-01']],
    ["// AA-01\ntest('it holds', () => { expect('AA-01').toBe(1); });", []],
    ["test.todo('AA-01'); describe.skip('AA-02', () => {}); note('AA-03');", []],
  ])('%s', (source, expected) => {
    expect(citationsIn(source, 'a.test.ts').map(({ id }) => id)).toEqual(expected);
  });
});
