import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Jwks } from '#verify';
import { packageRoot } from '../../../src/process/package-root.ts';

const folder = join(packageRoot, 'test/fixtures/audit-export');

/**
 * The test vector of docs/reference/audit-export.md, which others write their verifiers with: events of every type there was, sealed and
 * erased fields, and whatever is hard to write in the canonical form. vector.test.ts makes it anew with `WRITE_VECTOR=1`.
 */
export const [file, keysFile] = [join(folder, 'export.ndjson'), join(folder, 'jwks.json')];

export const whole = () => readFileSync(file);
export const jwks = () => JSON.parse(readFileSync(keysFile, 'utf8')) as Jwks;

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

/** What every verifier refuses: what is wrong with the file, and the file. */
export const damages: readonly (readonly [string, () => Buffer])[] = [
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
];
