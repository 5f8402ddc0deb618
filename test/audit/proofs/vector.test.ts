import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { EncodedEvent } from '../../../src/eventstore/codec/envelope.ts';
import type { StoredEvent } from '../../../src/eventstore/event-store.ts';
import { makePersonalData } from '../../../src/personal/personal-data.ts';
import { packageRoot } from '../../../src/process/package-root.ts';
import { fixtures } from '../../eventstore/codec/fixtures.ts';
import { eventAt, exportedBy, newKey, verify } from '../exports.ts';
import { damages, file, jwks, keysFile, whole } from './vector.ts';

const verifier = join(packageRoot, 'docs/examples/verify-export.py');

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

beforeAll(async () => {
  if (process.env['WRITE_VECTOR'] !== '1') return;
  const key = await newKey();
  const lines = await exportedBy(key, await events(), {
    open: async (some) =>
      (await personal.decrypt(some)).map((found) =>
        found.personal === 'none' ? null : { personal: found.personal, fields: found.fields },
      ),
  });
  writeFileSync(file, lines.join(''));
  writeFileSync(keysFile, `${JSON.stringify(key.jwks, null, 2)}\n`);
});

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
  expect(await verify(whole(), (await newKey()).jwks)).toMatchObject({ ok: false });
});

test.each(damages)('a file with %s is refused', async (_, damaged) => {
  expect(await verify(damaged(), jwks())).toMatchObject({ ok: false });
});

test('the second verifier, in Python, has fewer than 60 lines and imports nothing but the standard library', () => {
  const text = readFileSync(verifier, 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThan(60);
  expect(text.match(/^(?:import|from) .*/gm)).toEqual(['import base64, hashlib, json, sys']);
});
