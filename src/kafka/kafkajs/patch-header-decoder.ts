import { createRequire } from 'node:module';

type Header = { readonly key: string; readonly value: Buffer | null };
type Decoder = { readVarIntArray: (this: Decoder, read: unknown) => unknown[] };

const load = createRequire(import.meta.url);
const { prototype } = load('kafkajs/src/protocol/decoder') as { readonly prototype: Decoder };
const readHeader = load('kafkajs/src/protocol/recordBatch/header/v0/decoder') as unknown;

/** By name, all values in their order; without a prototype, so that no name is taken. */
type HeadersByName = Readonly<Record<string, readonly (Buffer | null)[]>>;

const byName = (headers: readonly Header[]): HeadersByName => {
  const values = Object.create(null) as Record<string, (Buffer | null)[]>;
  for (const { key, value } of headers) (values[key] ??= []).push(value);
  return values;
};

/**
 * The library gathers a message's headers by a `reduce` that copies all of them for each: a message of 100 KB with 16,000 of
 * them keeps the whole process busy for a minute, and one of a megabyte for hours. What it reads them into gets a `reduce`
 * that looks at each once. It has no setting for this, and no releases any more.
 */
export const patchHeaderDecoder = (): void => {
  if (isPatched) return;
  isPatched = true;
  const readArray = prototype.readVarIntArray;
  prototype.readVarIntArray = function (this: Decoder, read) {
    const all = readArray.call(this, read);
    if (read === readHeader) all.reduce = (() => byName(all as readonly Header[])) as typeof all.reduce;
    return all;
  };
};

let isPatched = false;
