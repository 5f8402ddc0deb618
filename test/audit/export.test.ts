import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  canonicalJson,
  verifyExport,
  type Verdict,
  chainStart,
  nextChain,
  withChain,
  withoutChain,
} from '#verify';
import fc from 'fast-check';
import { CompactSign } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { NotExportable, type ExportDependencies } from '../../src/audit/export/write-export.ts';
import type { StoredEvent } from '../../src/eventstore/event-store.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { isRelease } from '../support/tiers.ts';
import { chunksOf, eventAt, exportedBy, exportedOrganization, newKey, signerOf, verify } from './exports.ts';

const wrongLineOf = (verdict: Verdict): number | null => (verdict.ok ? null : verdict.line);
const events = [1, 2, 3, 4, 5].map((at) => eventAt(at));

const [key, other] = [await newKey(), await newKey()];
let lines: readonly string[];
const linesOf = (of: readonly StoredEvent[], needs: Partial<ExportDependencies> = {}) =>
  exportedBy(key, of, needs);
beforeAll(async () => void (lines = await linesOf(events)));

describe('an export', () => {
  test('verifies, and says whose signature it is', async () => {
    expect(lines).toHaveLength(6);
    const expected = {
      ok: true,
      kid: key.kid,
      manifest: { organization: exportedOrganization, events: 5, first: '10/10', last: '50/50' },
    };
    expect(await verify(lines)).toMatchObject({ ...expected, trusted: false });
    expect(await verify(lines, key.jwks)).toMatchObject({ ...expected, trusted: true });
    expect(await verifyExport(chunksOf(lines.join(''), 7), key.jwks)).toMatchObject(expected);
  });

  test('has its parts where docs/reference/audit-export.md says, counted from 0', () => {
    for (const line of lines.slice(0, -1)) {
      const bytes = Buffer.from(line);
      expect(bytes.subarray(74, 85).toString()).toBe('","event":{');
      const { event, leaf } = JSON.parse(line) as { event: unknown; leaf: string };
      const end = 84 + Buffer.byteLength(canonicalJson(event));
      expect(bytes.subarray(end - 1, end + 9).toString()).toBe('},"leaf":"');
      const hash = createHash('sha256').update('\0').update(bytes.subarray(84, end)).digest('hex');
      expect(hash).toBe(leaf);
    }
  });

  test('of nothing is only a manifest, and verifies', async () => {
    const nothing = await linesOf([]);
    expect(nothing).toHaveLength(1);
    expect(await verify(nothing)).toMatchObject({
      ok: true,
      manifest: { events: 0, first: null, last: null },
    });
  });

  test('is one whose leaves do not know what was opened', async () => {
    const erased = await linesOf(events, {
      open: (some) => Promise.resolve(some.map(() => ({ personal: 'erased', fields: {} }))),
    });
    const leavesOf = (of: readonly string[]) =>
      of.map((line) => (JSON.parse(line) as { leaf?: string }).leaf);
    expect(leavesOf(erased)).toEqual(leavesOf(lines));
    const before = await verify(lines);
    const after = await verify(erased);
    expect(after.ok && before.ok && after.manifest.root === before.manifest.root).toBe(true);
    expect(after.ok && before.ok && after.manifest.chain === before.manifest.chain).toBe(false);
  });

  test('refuses an event that no line has room for, and ends without a manifest', async () => {
    const huge = eventAt(6, { text: 'x'.repeat(4 * 1024 * 1024) });
    await expect(linesOf([...events, huge])).rejects.toThrow(NotExportable);
  });
});

describe('a verifier names the first wrong line', () => {
  test('when any line was left out', async () => {
    for (const at of lines.keys())
      expect([at, wrongLineOf(await verify(lines.toSpliced(at, 1)))]).toEqual([at, at + 1]);
  });

  test('when the last events were left out before the manifest', async () => {
    expect(await verify([...lines.slice(0, 3), lines[5] ?? ''])).toEqual({
      ok: false,
      line: 4,
      problem: 'is missing: the manifest is over 5 events, and 3 are here',
    });
  });

  test('when any line stands twice, there or elsewhere', async () => {
    for (const [from, line] of lines.entries())
      for (const at of Array(lines.length + 1).keys()) {
        const wrong = at === from ? at + 2 : at + 1; // where it is repeated before itself, the second is the wrong one
        expect([from, at, wrongLineOf(await verify(lines.toSpliced(at, 0, line)))]).toEqual([
          from,
          at,
          wrong,
        ]);
      }
  });

  test('when any two lines changed places', async () => {
    for (const from of lines.keys())
      for (let to = from + 1; to < lines.length; to++) {
        const swapped = lines.with(from, lines[to] ?? '').with(to, lines[from] ?? '');
        expect([from, to, wrongLineOf(await verify(swapped))]).toEqual([from, to, from + 1]);
      }
  });

  test('when a line of another export was put in, or in the place of any', async () => {
    const foreign = await linesOf([6, 7, 8, 9, 10].map((at) => eventAt(at)));
    for (const at of events.keys()) {
      const wrong = Math.max(at + 1, 2); // any export may begin with a line that can be the first of one
      for (const file of [lines.toSpliced(at, 0, foreign[at] ?? ''), lines.with(at, foreign[at] ?? '')])
        expect([at, wrongLineOf(await verify(file))]).toEqual([at, wrong]);
    }
  });

  test('when the file ends at any byte', async () => {
    const file = lines.join('');
    for (let end = 0; end < file.length; end += 7) {
      const line = file.slice(0, end).split('\n').length;
      expect([end, wrongLineOf(await verify(file.slice(0, end)))]).toEqual([end, line]);
    }
    expect(wrongLineOf(await verify(file.slice(0, -1)))).toBe(6);
  });

  test('when a bit of any byte was flipped', async () => {
    const file = Buffer.from(lines.join(''));
    const bits = isRelease ? [0, 1, 2, 3, 4, 5, 6, 7] : [null];
    const missed: unknown[] = [];
    let line = 1;
    for (const [at, byte] of file.entries()) {
      // Three is no divisor of eight: each of the bits has its turn.
      for (const bit of isRelease || at % 3 === 0 ? bits : []) {
        const flipped = Buffer.from(file);
        flipped[at] = byte ^ (1 << (bit ?? at % 8));
        const found = wrongLineOf(await verify(flipped));
        if (found !== line) missed.push([at, bit, String.fromCodePoint(byte), found]);
      }
      if (byte === 0x0a) line += 1;
    }
    expect(missed).toEqual([]);
  });

  test('when any field of any line was changed to another of its form', async () => {
    const missed: unknown[] = [];
    for (const [at, line] of lines.entries())
      for (const changed of variantsOf(JSON.parse(line))) {
        const verdict = await verify(lines.with(at, `${canonicalJson(changed)}\n`));
        if (wrongLineOf(verdict) !== at + 1) missed.push([changed, verdict]);
      }
    expect(missed).toEqual([]);
  });

  test('also where whoever changed an event mended its leaf, or the whole chain behind it', async () => {
    const forged = lines.slice(0, 5).map((line) => withoutChain(line.trimEnd()).replace('the 3.', 'the 4.'));
    let chain: Buffer = chainStart;
    const chained = forged.map((body) => `${withChain((chain = nextChain(chain, body)), body)}\n`);
    expect(await verify([...chained, lines[5] ?? ''])).toMatchObject({ ok: false, line: 3 });

    const resigned = await linesOf(events.with(2, eventAt(3, { at: 4 })));
    expect(await verify([...resigned.slice(0, 5), lines[5] ?? ''])).toEqual({
      ok: false,
      line: 6,
      problem: 'holds the manifest of another export: chain is not that of this file',
    });
  });
});

test('an export whose events are not in the order of the log is refused, whoever signed it', async () => {
  for (const order of [
    [1, 3, 2],
    [1, 2, 2],
  ])
    expect(await verify(await linesOf(order.map((at) => eventAt(at))), key.jwks)).toEqual({
      ok: false,
      line: 3,
      problem: 'is not behind the line before in the log',
    });
});

/** The value with each of its fields, at any depth, changed, left out, or joined by another. */
function* variantsOf(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield* [`${value}0`, value.slice(1), null];
  else if (typeof value === 'number') yield* [value + 1, String(value)];
  else if (value === null) yield* [0, 'null'];
  else if (Array.isArray(value)) {
    yield [...(value as unknown[]), 1];
    for (const [at, item] of value.entries())
      for (const variant of variantsOf(item)) yield (value as unknown[]).with(at, variant);
  } else if (typeof value === 'object') {
    yield { ...value, zz: 1 };
    for (const [name, member] of Object.entries(value)) {
      const { [name]: _, ...without } = value as Record<string, unknown>;
      yield without;
      for (const variant of variantsOf(member)) yield { ...value, [name]: variant };
    }
  }
}

describe('a manifest', () => {
  const withManifest = async (sign: () => Promise<string>) =>
    verify([...lines.slice(0, 5), `${canonicalJson({ manifest: await sign() })}\n`], key.jwks);
  const payload = () => JSON.parse(Buffer.from(jws().split('.')[1] ?? '', 'base64url').toString()) as object;
  const jws = () => (JSON.parse(lines[5] ?? '') as { manifest: string }).manifest;

  test('of somebody else’s key is good in itself, and refused by whoever knows ours', async () => {
    const foreign = await linesOf(events, { sign: signerOf(other) });
    expect(await verify(foreign)).toMatchObject({ ok: true, trusted: false, kid: other.kid });
    expect(await verify(foreign, key.jwks)).toEqual({
      ok: false,
      line: 6,
      problem: `holds a manifest that is signed by the key ${other.kid}, which is not among the keys that were given`,
    });
    expect(
      await verify(foreign, { keys: [...key.jwks.keys, { kty: 'EC' }, { kty: 'RSA', kid: other.kid }] }),
    ).toMatchObject({ ok: false });
  });

  test('that holds one key and is signed by another is refused', async () => {
    const { kid, privateKey } = { ...key, privateKey: other.privateKey };
    const [jwk] = key.jwks.keys as unknown as [{ n: string; e: string }];
    const header = { alg: 'RS256', jwk: { kty: 'RSA', n: jwk.n, e: jwk.e }, kid, typ: 'audit-export+jws' };
    const sign = (typ: string, by: typeof privateKey) =>
      new CompactSign(Buffer.from(canonicalJson(payload()))).setProtectedHeader({ ...header, typ }).sign(by);
    expect(await withManifest(() => sign('audit-export+jws', key.privateKey))).toMatchObject({ ok: true });
    expect(await withManifest(() => sign('audit-export+jws', privateKey))).toMatchObject({
      line: 6,
      problem: expect.stringContaining('signature') as string,
    });
    expect(await withManifest(() => sign('JWT', key.privateKey))).toMatchObject({
      line: 6,
      problem: expect.stringContaining('"JWT"') as string,
    });
  });

  test.each([
    ['events', 4, 5],
    ['events', 6, 6],
    ['first', '20/20', 6],
    ['last', '40/40', 6],
    ['last', null, 6],
    ['root', '0'.repeat(64), 6],
    ['chain', '0'.repeat(64), 6],
    ['from', '11/11', 6],
    ['until', '49/49', 6],
    ['until', null, 6],
    ['format', 'grantbook-audit-export/2', 6],
    ['events', -1, 6],
    ['more', 1, 6],
  ] as const)('that is signed and says a wrong %s (%s) is refused', async (field, value, line) => {
    const said = canonicalJson({ ...payload(), [field]: value });
    expect(await withManifest(() => signerOf(key)('audit-export+jws', said))).toMatchObject({
      ok: false,
      line,
    });
  });

  test('that is signed but not in the canonical form, or no JSON, is refused', async () => {
    for (const said of [JSON.stringify(payload(), null, 1), 'nothing', '[]', ''])
      expect(await withManifest(() => signerOf(key)('audit-export+jws', said))).toMatchObject({
        ok: false,
        line: 6,
      });
  });

  test('of another export is refused', async () => {
    const same = await linesOf(events, { open: () => Promise.resolve([]) });
    expect(await verify([...lines.slice(0, 5), same[5] ?? ''], key.jwks)).toMatchObject({
      ok: false,
      line: 6,
    });
  });
});

describe('a damaged file', () => {
  const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
  test.each([
    ['nothing', '', 1, 'is missing'],
    ['an empty line', '\n', 1, 'is not JSON'],
    ['NaN', '{"chain":NaN}\n', 1, 'is not JSON'],
    ['a number out of range', '{"chain":1e999}\n', 1, 'is not canonical'],
    ['a name twice', '{"manifest":"a","manifest":"b"}\n', 1, 'is not canonical'],
    ['a byte order mark', '\uFEFF{"manifest":"a"}\n', 1, 'is not JSON'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22, 0x0a]), 1, 'is not valid UTF-8'],
    ['half a pair of surrogates', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22, 0x0a]), 1, 'is not valid UTF-8'],
    ['deep nesting', `${deep}\n`, 1, 'is nested deeper than 100'],
    ['a literal', 'null\n', 1, 'is no line of an export: it is no object'],
    ['only a manifest that is none', '{"manifest":"a.b.c"}\n', 1, 'holds a manifest that'],
    [
      'a manifest of three empty parts',
      '{"manifest":".."}\n',
      1,
      'holds a manifest that is not a compact JWS',
    ],
    ['a prototype', '{"__proto__":{"manifest":"x"}}\n', 1, 'is wrong at'],
  ])('of %s is refused in words', async (_, file, line, problem) => {
    expect(await verify(file)).toEqual({
      ok: false,
      line,
      problem: expect.stringContaining(problem) as string,
    });
  });

  test('with a line without end is given up after a few megabytes', async () => {
    let given = 0;
    const endless = (function* () {
      yield Buffer.from(lines[0] ?? '');
      for (const chunk = Buffer.alloc(1 << 16, 0x20); ; given += chunk.length) yield chunk;
    })();
    expect(await verifyExport(Readable.from(endless), null)).toEqual({
      ok: false,
      line: 2,
      problem: 'is longer than a line can be',
    });
    expect(given).toBeLessThan(5 * 1024 * 1024);
  });

  test('of any bytes, or ours with any bytes in it, is never accepted and never a crash', async () => {
    const file = Buffer.from(lines.join(''));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(file.length),
        fc.nat(400),
        fc.uint8Array({ minLength: 1 }),
        async (at, drop, bytes) => {
          const damaged = Buffer.concat([file.subarray(0, at), bytes, file.subarray(at + drop)]);
          fc.pre(!damaged.equals(file));
          expect((await verify(damaged)).ok).toBe(false);
          expect((await verify(Buffer.from(bytes))).ok).toBe(false);
        },
      ),
      propertyRuns(200),
    );
  });
});
