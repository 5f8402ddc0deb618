import fc from 'fast-check';
import { expect } from 'vitest';
import type { ReceivedMessage } from '../../../src/kafka/kafka-client.ts';

export type SentMessage = {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, readonly Buffer[]>>;
  /** What it must become: an event at last, unless a newer one came; or a dead letter. */
  readonly good: { readonly id: string; readonly version: number } | null;
};

/** Messages for the topic of profiles: good ones, and what a host that is broken or means harm may send between them. */
export const anyMessages = (
  organizationId: string,
  { least, most, largest }: { readonly least: number; readonly most: number; readonly largest: number },
) => {
  const profile = (id: string, version: number) => ({
    id,
    version,
    organization_id: organizationId,
    name: `Name ${id} ${version}`,
    email: 'ada@example.com',
  });
  const text = (value: unknown) => JSON.stringify(value);
  const usual = text(profile('bad', 1));

  const good = fc
    .record({ id: fc.stringMatching(/^[a-c]$/), version: fc.integer({ min: 1, max: 9 }) })
    .map((of) => ({
      good: of,
      value: text(profile(of.id, of.version)),
    }));

  const bytes = fc.uint8Array({ maxLength: 200 }).map((given) => Buffer.from(given));
  const anyJson = fc.jsonValue({ maxDepth: 4 }).map(text);
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    id: ['', 'a b', 'a%2Fb', 'ä', 'a\n', 'x'.repeat(129), 5, null, [], {}, true],
    version: [0, -1, 1.5, '1', null, 2 ** 53, 1e300, [1], true],
    organization_id: ['', '__proto__', '01J9Z3N8Q4T6V8X0Y2A4C6E8G0', 5, null, [organizationId], 'ö'],
    name: ['', ' ', 'x'.repeat(201), '\u0000', '\ud800', 7, null, { toString: 'x' }],
    email: ['', 'ada', 'a@b c', null, ['a@b.c']],
    deleted: ['true', 1, null],
    nobody_knows_it: [1],
  };
  const wrongField = fc
    .constantFrom(...Object.entries(wrong))
    .chain(([field, values]) =>
      fc.constantFrom(...values).map((value) => text({ ...profile('bad', 1), [field]: value })),
    );
  const leftOut = fc
    .constantFrom('id', 'version', 'organization_id', 'name', 'email')
    .map((field) => text({ ...profile('bad', 1), [field]: undefined }));
  const inherited = fc
    .constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'then', 'toJSON')
    .chain((name) =>
      fc.constantFrom('1', '{}', usual).map((value) => usual.replace('{', `{"${name}":${value},`)),
    );
  const behindPrototype = fc.constant(`{"__proto__":${usual}}`);
  const cut = fc.integer({ min: 1, max: usual.length - 1 }).map((length) => usual.slice(0, length));
  const notUtf8 = fc
    .constantFrom(0xff, 0xc0, 0xed)
    .map((byte) => Buffer.concat([Buffer.from('{"x":"'), Buffer.from([byte]), Buffer.from('"}')]));
  const deep = fc
    .tuple(fc.constantFrom('[', '{"a":', '{"__proto__":'), fc.integer({ min: 1, max: largest }), fc.boolean())
    .map(([open, size, closed]) => {
      const depth = Math.floor(size / (open.length + 1));
      return open.repeat(depth) + (closed ? `1${(open === '[' ? ']' : '}').repeat(depth)}` : '');
    });
  const huge = fc
    .integer({ min: 1, max: largest })
    .map((size) => text({ ...profile('bad', 1), name: 'x'.repeat(Math.max(201, size)) }));
  const numbers = fc
    .constantFrom('9007199254740993', '1e999', '-1e999', 'NaN', 'Infinity', '0x1', '01', '1_0', '.5')
    .map((number) => usual.replace('"version":1', `"version":${number}`));

  const bad = fc
    .oneof(
      bytes,
      anyJson,
      wrongField,
      wrongField,
      leftOut,
      inherited,
      behindPrototype,
      cut,
      notUtf8,
      numbers,
      { arbitrary: deep, weight: 1 },
      { arbitrary: huge, weight: 1 },
    )
    .map((value) => ({ value, good: null }));

  const anyKey = fc.oneof(
    fc.constant(null),
    bytes,
    fc.constantFrom('', '.', `${organizationId}.`, `${organizationId}.x y`),
  );
  const headerName = fc.oneof(
    fc.constantFrom(
      '__proto__',
      'constructor',
      'version',
      'traceparent',
      'grantbook-reason',
      'grantbook-offset',
      '',
    ),
    fc.string({ maxLength: 10, unit: 'grapheme' }),
  );
  const anyHeaders = fc
    .array(fc.tuple(headerName, fc.array(bytes, { minLength: 1, maxLength: 3 })), { maxLength: 5 })
    .map((pairs) => Object.fromEntries(pairs));

  const tombstone = fc.oneof(
    fc.record({ key: anyKey, value: fc.constant(null), headers: anyHeaders, good: fc.constant(null) }),
    fc.constantFrom('', '0', 'one', '1.0', '+1', '99999999999999999').map((version) => ({
      key: `${organizationId}.a`,
      value: null,
      headers: { version: [Buffer.from(version)] },
      good: null,
    })),
    fc.record({ id: fc.stringMatching(/^[d-f]$/), version: fc.integer({ min: 1, max: 9 }) }).map((of) => ({
      key: `${organizationId}.${of.id}`,
      value: null,
      headers: { version: [Buffer.from(String(of.version))] },
      good: of,
    })),
  );
  const upsert = fc
    .tuple(fc.oneof(good, bad), anyKey, anyHeaders)
    .map(([message, key, headers]) => ({ ...message, key, headers }));
  const message: fc.Arbitrary<SentMessage> = fc
    .oneof({ arbitrary: upsert, weight: 5 }, { arbitrary: tombstone, weight: 1 })
    .map(({ key, value, ...rest }) => ({ key: toBuffer(key), value: toBuffer(value), ...rest }));
  return fc.array(message, { minLength: least, maxLength: most, size: 'max' });
};

const toBuffer = (given: string | Buffer | null): Buffer | null =>
  typeof given === 'string' ? Buffer.from(given) : given;

type Letter = Pick<ReceivedMessage, 'key' | 'value' | 'headers'>;

/** A dead letter has everything of its message, except for headers with names of ours. */
export const expectSame = (letter: Letter | undefined, { key, value, headers }: SentMessage): void => {
  expect([sameBytes(letter?.key, key), sameBytes(letter?.value, value)]).toEqual([true, true]);
  for (const [name, values] of Object.entries(headers)) {
    if (name.startsWith('grantbook-')) continue;
    const kept = letter?.headers.filter(([of]) => of === name).map(([, content]) => content);
    expect(kept).toEqual(values);
  }
};

/** Comparing matchers take megabytes byte by byte. */
const sameBytes = (a: Buffer | null | undefined, b: Buffer | null): boolean =>
  a instanceof Buffer && b !== null ? a.equals(b) : a === b;

/** The newest version of each good record. */
export const newestOf = (messages: readonly SentMessage[]): Readonly<Record<string, number>> => {
  const newest: Record<string, number> = {};
  for (const { good } of messages) if (good) newest[good.id] = Math.max(newest[good.id] ?? 0, good.version);
  return newest;
};
