import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Jwks } from '#verify';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EncodedEvent } from '../../../src/eventstore/codec/envelope.ts';
import type { StoredEvent } from '../../../src/eventstore/event-store.ts';
import { makePersonalData } from '../../../src/personal/personal-data.ts';
import { packageRoot } from '../../../src/process/package-root.ts';
import { fixtures } from '../../eventstore/codec/fixtures.ts';
import { eventAt, exportedBy, newKey, verify } from '../exports.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/**
 * The test vector of docs/reference/audit-export.md, which others write their verifiers with: events of every type there was, sealed and
 * erased fields, and whatever is hard to write in the canonical form. `WRITE_VECTOR=1` makes it anew, with a new key.
 */
const folder = join(packageRoot, 'test/fixtures/audit-export');
const script = join(packageRoot, 'docs/examples/verify-export.py');
const [file, keysFile] = [join(folder, 'export.ndjson'), join(folder, 'jwks.json')];

const hard = [
  { numbers: [0, -1, 1e21, 1e-7, 0.1, 9_007_199_254_740_992, 123_456_789.5, 5e-324] },
  { '': 'no name', '€': 1, '\r': 2, '\uFB33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 },
  {
    text: 'a "quote", a \\ and a / and \u0000 \u001F \u007F \u2028 \uFEFF',
    half: '\uD83D',
    lines: '\n\r\t\b\f',
  },
  [[], {}, [[[['deep']]]], '', true, false, null],
  'not even an object',
];
/** Of Ada the key is there, Bo was erased since, and Cy before the event came. */
const keyOf = (person: string) => createHash('sha256').update(person).digest();
const keys = {
  of: (person: string) =>
    Promise.resolve({ keyId: person, key: person.endsWith('cy') ? null : keyOf(person) }),
  byId: (keyId: string) => Promise.resolve({ keyId, key: /(bo|cy)$/.test(keyId) ? null : keyOf(keyId) }),
};
const personal = makePersonalData(keys);

const profile = fixtures.find(({ type }) => type === 'ProfileRecorded');
const people = ['ada', 'bo', 'cy'].map((id) => ({
  type: 'ProfileRecorded',
  data: { ...profile?.data, id },
  metadata: { version: 1 },
}));

/** As they are stored: sealed. */
const events = async (): Promise<readonly StoredEvent[]> =>
  Promise.all(
    [...fixtures, ...people, ...hard.map((data) => ({ type: 'Hard', data, metadata: null }))].map(
      async ({ type, data, metadata }, at) => {
        const stored = eventAt(at + 1, data);
        const [sealed] = await personal.encrypt(stored.stream, [
          { type, data, metadata } as unknown as EncodedEvent,
        ]);
        return { ...stored, type, data: sealed?.data, metadata };
      },
    ),
  );

const [isWritten, temporary] = [process.env['WRITE_VECTOR'] === '1', temporaryFolder()];
beforeAll(async () => {
  if (!isWritten) return;
  const key = newKey();
  const lines = await exportedBy(key, await events(), {
    open: async (some) =>
      (await personal.decrypt(some)).map((found) =>
        found.personal === 'none' ? null : { personal: found.personal, fields: found.fields },
      ),
  });
  writeFileSync(file, lines.join(''));
  writeFileSync(keysFile, `${JSON.stringify(key.jwks, null, 2)}\n`);
});

const whole = () => readFileSync(file);
const jwks = () => JSON.parse(readFileSync(keysFile, 'utf8')) as Jwks;

test('the vector has what is hard: sealed fields that are opened, erased, and erased before they came', () => {
  const text = whole().toString();
  for (const part of [
    '"personal":"opened"',
    '"personal":"erased"',
    '"sealed":null',
    '\\ud83d"',
    '€',
    '5e-324',
  ])
    expect(text).toContain(part);
});

test('the vector verifies, with and without its key', async () => {
  expect(await verify(whole(), jwks())).toMatchObject({ ok: true, trusted: true });
  expect(await verify(whole())).toMatchObject({ ok: true, trusted: false });
  expect(await verify(whole(), newKey().jwks)).toMatchObject({ ok: false });
});

/** Itself, not what chooses between several of them. */
const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
if (python.error && process.env['GRANTBOOK_PYTHON'] === 'required')
  throw new Error('python3 is missing: GRANTBOOK_PYTHON=required needs it (Debian: apt-get install python3)');
if (python.error) process.stderr.write('python3 is missing: the second verifier of exports is not tried\n');

describe.skipIf(python.error)('the second verifier, in Python', () => {
  const check = (content: Buffer, ...more: readonly string[]) => {
    const damaged = join(temporary, 'export.ndjson');
    writeFileSync(damaged, content);
    const { status, stdout, stderr } = spawnSync(python.stdout.trim(), [script, damaged, ...more], {
      encoding: 'utf8',
    });
    return { status, said: stdout + stderr };
  };

  test('has fewer than 60 lines and imports nothing but the standard library', () => {
    const text = readFileSync(script, 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThan(60);
    expect(text.match(/^(?:import|from) .*/gm)).toEqual(['import base64, hashlib, json, sys']);
  });

  test('agrees with the vector, and says whose signature it is', () => {
    const { kid } = jwks().keys[0] as unknown as { kid: string };
    expect(check(whole(), keysFile)).toEqual({
      status: 0,
      said: expect.stringMatching(`${kid}\n$`) as string,
    });
    expect(check(whole())).toEqual({ status: 0, said: expect.stringContaining('whoever that is') as string });
    const other = join(temporary, 'other.json');
    writeFileSync(other, JSON.stringify(newKey().jwks));
    expect(check(whole(), other)).toEqual({
      status: 1,
      said: expect.stringContaining('not among') as string,
    });
  });

  test('names the first wrong line', () => {
    const content = Buffer.from(whole().toString().replace('\n{"chain":"', '\n{"chain":"0'));
    expect(check(content).said).toMatch(/^wrong at line 2: /);
  });

  const lines = () =>
    whole()
      .toString()
      .split(/(?<=\n)/);
  const flipped = (share: number, mask: number) => {
    const content = whole();
    const at = Math.floor(content.length * share);
    content[at] = (content[at] ?? 0) ^ mask;
    return content;
  };
  test.each<[string, () => Buffer]>([
    ['a line left out', () => Buffer.from(lines().toSpliced(3, 1).join(''))],
    [
      'a line twice',
      () =>
        Buffer.from(
          lines()
            .toSpliced(3, 0, lines()[3] ?? '')
            .join(''),
        ),
    ],
    [
      'two lines that changed places',
      () =>
        Buffer.from(
          lines()
            .toSpliced(3, 2, lines()[4] ?? '', lines()[3] ?? '')
            .join(''),
        ),
    ],
    ['its manifest left out', () => Buffer.from(lines().slice(0, -1).join(''))],
    [
      'something next to its manifest',
      () =>
        Buffer.from(
          lines()
            .with(-1, (lines().at(-1) ?? '').replace(/}\n$/, ',"event":{}}\n'))
            .join(''),
        ),
    ],
    [
      'its manifest written in another way',
      () =>
        Buffer.from(
          lines()
            .with(-1, ` ${lines().at(-1) ?? ''}`)
            .join(''),
        ),
    ],
    ['its last event left out', () => Buffer.from(lines().toSpliced(-2, 1).join(''))],
    ['only its manifest', () => Buffer.from(lines().at(-1) ?? '')],
    ['a line behind its manifest', () => Buffer.from([...lines(), lines()[0] ?? ''].join(''))],
    ['its last byte cut off', () => whole().subarray(0, -1)],
    [
      'what was erased said to be open',
      () => Buffer.from(whole().toString().replace('"personal":"erased"', '"personal":"opened"')),
    ],
    ['a bit flipped early', () => flipped(0.1, 1)],
    ['a bit flipped late', () => flipped(0.8, 2)],
    ['a bit of the signature flipped', () => flipped(0.9995, 4)],
    ['nothing in it', () => Buffer.alloc(0)],
    ['no JSON in it', () => Buffer.from('{"a":NaN}\n')],
    ['another JSON in it', () => Buffer.from('[1]\n')],
    ['deep nesting in it', () => Buffer.from(`${'['.repeat(100_000)}\n`)],
    ['a line without end in it', () => Buffer.alloc(5 << 20, 0x20)],
    ['bytes in it that are no text', () => Buffer.from([0xff, 0xfe, 0x0a])],
  ])('refuses a file with %s, as ours does', async (_, content) => {
    const damaged = content();
    expect(await verify(damaged, jwks())).toMatchObject({ ok: false });
    expect(check(damaged, keysFile)).toEqual({
      status: 1,
      said: expect.stringMatching(/^wrong(?: at line \d+)?: /) as string,
    });
  });
});
