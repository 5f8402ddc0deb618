import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ungzip, unzstd } from '../../../src/kafka/kafkajs/codecs.ts';

const tooMuch = (mebibytes: number) => `a batch of messages is more than ${mebibytes} MiB unpacked`;
const mebibyte = 1024 * 1024;

/** A frame of Zstandard (RFC 8878) that says `blocks` times: 128 KiB of zeros. */
const zstdOf = (blocks: number): Buffer => {
  const header = Buffer.from('28b52ffd0038', 'hex'); // no content size, a window of 128 KiB
  const blockOf = (_: unknown, at: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUIntLE((131_072 << 3) | (1 << 1) | Number(at === blocks - 1), 0, 3);
    return bytes;
  };
  return Buffer.concat([header, ...Array.from({ length: blocks }, blockOf)]);
};

test('gzip: a batch that would fill the memory is refused in words, and damage as what it is', async () => {
  expect(String(await ungzip(gzipSync('records')))).toBe('records');
  expect(await ungzip(gzipSync(Buffer.alloc(mebibyte)), mebibyte)).toHaveLength(mebibyte);
  const bomb = gzipSync(Buffer.alloc(mebibyte + 1));
  await expect(ungzip(bomb, mebibyte)).rejects.toThrow(tooMuch(1));
  // Members of a mebibyte each, because one of 65 takes long to pack.
  const great = Buffer.concat(Array(65).fill(gzipSync(Buffer.alloc(mebibyte))));
  await expect(ungzip(great)).rejects.toThrow(tooMuch(64));
  await expect(ungzip(Buffer.from('no gzip'))).rejects.toThrow('incorrect header check');
});

test('Zstandard: so is one that makes 4 GiB of 128 KiB', () => {
  expect(unzstd(zstdOf(3)).equals(Buffer.alloc(3 * 131_072))).toBe(true);
  expect(unzstd(zstdOf(8), mebibyte)).toHaveLength(mebibyte);
  expect(() => unzstd(zstdOf(9), mebibyte)).toThrow(tooMuch(1));
  expect(() => unzstd(zstdOf(32_768))).toThrow(tooMuch(64));
  expect(() => unzstd(Buffer.from('no zstd'))).toThrow('invalid zstd data');
});
