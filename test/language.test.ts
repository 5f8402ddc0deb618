import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The names and phrases that were given up for plain ones (docs/explanation/glossary.md) do not come back. */

const root = join(import.meta.dirname, '..');
const below = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { encoding: 'utf8', recursive: true }).map((path) => join(folder, path));

const retired: Readonly<Record<string, readonly string[]>> = {
  'src/audit': ['happened', 'why', 'concerned/needs', 'concerned/dependencies', 'concerned/told-of'],
  'src/cli': ['settle', 'audit/places'],
  'src/commands': ['aside', 'end-slipped', 'in-window', 'needs', 'rerun-unknown', 'turns'],
  'src/domain': ['concerns'],
  'src/eventstore': ['clear-after-sealed', 'passed-over', 'within'],
  'src/http': [
    'admin/sealed-receipt',
    'connections/let-go',
    'connections/linger',
    'connections/unreadable',
    'in-time',
    'needs',
    'oauth/decide',
    'oauth/proceed',
    'oauth/show',
    'places',
    'session/seal',
  ],
  'src/kafka': [
    'ingest/suspects',
    'ingest/turns',
    'kafkajs/handle-pieces',
    'kafkajs/in-time',
    'kafkajs/look-at-group',
    'kafkajs/many-headers',
    'kafkajs/placing',
    'kafkajs/until-led',
    'kafkajs/with-either',
    'relay/runs',
  ],
  'src/personal': ['gathered', 'seal-fields'],
  'src/projections': [
    'guarded-lane',
    'in-one-turn',
    'lately',
    'led',
    'linger',
    'operations/look',
    'operations/look-at-database',
    'rebuild/tell-swaps',
    'read-lane',
    'trust',
    'unless-aborted',
    'what-is-stale',
    'write-alone',
  ],
  'src/signing': ['sealed-key'],
};

test('no file has a name again that was given up', () => {
  const found = Object.entries(retired).flatMap(([folder, names]) => {
    const there = readdirSync(join(root, folder), { encoding: 'utf8', recursive: true });
    return names.filter((name) => there.some((path) => `/${path}`.endsWith(`/${name}.ts`)));
  });
  expect(found).toEqual([]);
});

const phrases = [
  'what was to be done beside an answer failed',
  'cannot hear now what other instances change',
  'a silent leader is missed late',
  'the log is read on',
  'gives on what comes after',
  'Nobody has to say who they are',
  'asks to see records. Whose, you decide',
  'It can change nothing',
  'It keeps this access while you are away',
  'Only your own records, in every organization',
  'Do nothing yet',
  'The e-mail address or the password is not right',
  'Trying sooner does not help',
  'How the service is',
  'stands under operation',
  'A frame instead of a bar',
  'in trouble',
  'Histories that you may read',
  'Nothing like that has happened',
  'This question was noted',
  'Not for you to see',
  'It has not come for a token',
  'Whoever has it can do what it can',
  'forget people whom organizations know',
  'build read models again beside those in use',
  'from the answer on',
  'from its answer on',
  'is no business of',
  'the seconds of Retry-After',
  'the seconds of `Retry-After`',
  'please use those that it has',
  'names what was not asked for',
  'values of printable ASCII with one space',
  'An event of it cannot be read',
  'is not what this address accepts',
  'There is no such signal stream',
  'The method is not offered here',
  'got at `/sign-in`',
  'The same to be read',
  'was not begun in this browser',
  'knows you, but your account',
  'sent your browser here too often',
  'This link does not work',
];

/** Words that another word replaced. Names of the API, which stay, are taken out first. */
const idioms: Readonly<Record<string, RegExp>> = {
  'next to, in parallel with': /\bbeside\b/i,
  permanently: /\bfor good\b|\bfor ever\b/i,
  'is notified, is distinguished': /\b(?:is|are|was|were|be|been|being) told\b/i,
  'without please': /\bplease\b/i,
  'an organization': /\ba (?:organization|add-on|addon|account|activation|administrator|auditor|operator)\b/i,
  'read the counts, count the reads': /\blist-reads\.ts|\blists-read\.ts/,
};
const namesOfTheApi = /versions-beside|timestampBeside|rebuilds-beside-live|test\/[\w./-]+/g;

const folders = ['src', 'locales', 'packages', 'demo', 'bench', 'docs'];
const read = ['README.md', ...folders.flatMap(below)].filter(
  (path) =>
    /\.(?:ts|md|sql|ya?ml|json)$/.test(path) && !/^docs\/requirements\/|^packages\/[^/]+\/dist\//.test(path),
);
const textOf = (path: string): string =>
  readFileSync(join(root, path), 'utf8').replaceAll(namesOfTheApi, '').replaceAll(/\s+/g, ' ');

test('nothing says again what has a plain sentence now', () => {
  expect(read.length).toBeGreaterThan(500);
  const found = read.flatMap((path) => {
    const text = textOf(path).toLowerCase();
    return phrases.filter((phrase) => text.includes(phrase.toLowerCase())).map((phrase) => [path, phrase]);
  });
  expect(found).toEqual([]);
});

test.each(Object.entries(idioms))('"%s" is said in plain words', (_plain, idiom) => {
  const found = read.filter((path) => idiom.test(textOf(path)));
  expect(found).toEqual([]);
});

test('the README leads to the glossary', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('(docs/explanation/glossary.md)');
});
