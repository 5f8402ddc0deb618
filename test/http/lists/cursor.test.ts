import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Cursor, longestCursor, makeCursors, numbering } from '../../../src/http/lists/cursor.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const keyOf = (id: string, fill: number) => ({ id, key: new Uint8Array(32).fill(fill) });
const cursors = makeCursors([keyOf('k2', 2), keyOf('k1', 1)]);

const ordinal = fc.oneof(fc.nat(300), fc.maxSafeNat());
const position = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const sync = fc.record({ position, state: position, minutes: fc.nat() });
const anyCursor: fc.Arbitrary<Cursor> = fc.record({
  page: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 2 ** 31 - 1 })),
  perPage: fc.integer({ min: 1, max: 100 }),
  list: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  direction: fc.constantFrom('after', 'before'),
  position: fc.record({
    organizationId: fc.oneof(
      fc.constantFrom('01JD0000000000000000000000', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'),
      fc.string({ minLength: 1, maxLength: 60 }),
    ),
    ordinal,
  }),
  bound: position,
  sync,
});

const example: Cursor = {
  page: 2,
  perPage: 25,
  list: 7n,
  direction: 'after',
  position: { organizationId: '01JD0000000000000000000000', ordinal: 24 },
  bound: 991_234n,
  sync: { position: 991_234n, state: 5n, minutes: 29_000_000 },
};

describe('a cursor', () => {
  test('LI-03: comes back as it was made, in short text that an address can hold as it is', () => {
    fc.assert(
      fc.property(anyCursor, (cursor) => {
        const text = cursors.encrypt(cursor);
        expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(text.length).toBeLessThanOrEqual(longestCursor);
        expect(cursors.decrypt(text)).toEqual({ kind: 'ours', cursor });
      }),
      propertyRuns(100),
    );
    expect(cursors.encrypt(example).length).toBeLessThan(130);
  });

  test('is the same text wherever and whenever it is made', () => {
    const elsewhere = makeCursors([keyOf('k2', 2), keyOf('k1', 1)]);
    fc.assert(
      fc.property(anyCursor, (cursor) => {
        expect(elsewhere.encrypt({ ...cursor })).toBe(cursors.encrypt(cursor));
      }),
      propertyRuns(100),
    );
  });

  test('shows neither whose list it is of nor where in the log the walk ends', () => {
    const bytes = Buffer.from(cursors.encrypt(example), 'base64url');
    const bound = Buffer.alloc(8);
    bound.writeBigUInt64BE(example.bound);
    expect(bytes.includes(example.position.organizationId)).toBe(false);
    expect(bytes.includes(bound.subarray(5))).toBe(false);
  });

  test('made under the key before is still ours; of a key that is gone it is outdated, not forged', () => {
    const before = makeCursors([keyOf('k1', 1)]);
    const after = makeCursors([keyOf('k3', 3), keyOf('k2', 2)]);
    expect(cursors.decrypt(before.encrypt(example))).toEqual({ kind: 'ours', cursor: example });
    expect(after.decrypt(before.encrypt(example))).toEqual({ kind: 'outdated' });
    expect(makeCursors([keyOf('k1', 9)]).decrypt(before.encrypt(example))).toEqual({ kind: 'forged' });
  });
});

describe('a text that is no cursor of ours', () => {
  /** Where the name of its key stands: another name is a key that we do not hold. */
  const isInKeyName = (at: number) => at >= 1 && at < 4;

  test('LI-06: with a changed byte is forged, wherever that is', () => {
    fc.assert(
      fc.property(anyCursor, fc.nat(), fc.integer({ min: 1, max: 255 }), (cursor, seed, change) => {
        const bytes = Buffer.from(cursors.encrypt(cursor), 'base64url');
        const at = seed % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ change;
        const { kind } = cursors.decrypt(bytes.toString('base64url'));
        expect(isInKeyName(at) ? ['forged', 'malformed', 'outdated'] : ['forged']).toContain(kind);
      }),
      propertyRuns(200),
    );
  });

  test('LI-06: cut anywhere, or with more at its end, is refused', () => {
    fc.assert(
      fc.property(
        anyCursor,
        fc.nat(),
        fc.uint8Array({ minLength: 1, maxLength: 40 }),
        (cursor, seed, more) => {
          const bytes = Buffer.from(cursors.encrypt(cursor), 'base64url');
          const cut = bytes.subarray(0, seed % bytes.length);
          const longer = Buffer.concat([bytes, more]);
          for (const changed of [cut, longer, bytes.subarray(1), Buffer.concat([more, bytes])])
            expect(['forged', 'malformed', 'outdated']).toContain(
              cursors.decrypt(changed.toString('base64url')).kind,
            );
          for (const changed of [cut, longer].filter(({ length }) => length > 4))
            expect(['forged', 'malformed']).toContain(cursors.decrypt(changed.toString('base64url')).kind);
        },
      ),
      propertyRuns(100),
    );
  });

  test('LI-06: is never anything else, and never thrown about', () => {
    const text = fc.oneof(
      fc.string(),
      fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
      fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
      // Ours by its head: the newest numbering, and a key that there is.
      fc
        .uint8Array({ maxLength: 200 })
        .map((rest) =>
          Buffer.concat([Buffer.from([numbering, 2]), Buffer.from('k2'), rest]).toString('base64url'),
        ),
    );
    fc.assert(
      fc.property(text, (sent) => {
        expect(cursors.decrypt(sent).kind).not.toBe('ours');
      }),
      propertyRuns(100),
    );
  });

  test.each([
    ['padding', (text: string) => `${text}=`],
    ['a blank', (text: string) => `${text} `],
    ['another alphabet', (text: string) => `${text}+/`],
    ['a line break', (text: string) => `${text}\n`],
  ])('LI-06: nor is ours in another spelling: %s', (_what, spelled) => {
    expect(cursors.decrypt(spelled(cursors.encrypt(example)))).toEqual({ kind: 'malformed' });
  });

  test('LI-06: longer than any of ours is not even decoded', () => {
    expect(cursors.decrypt('A'.repeat(longestCursor + 1))).toEqual({ kind: 'malformed' });
  });
});
