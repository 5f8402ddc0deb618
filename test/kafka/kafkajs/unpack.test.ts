import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { mostUnpacked, ungzip, unzstd } from '../../../src/kafka/kafkajs/codecs.ts';

const tooMuch = 'a batch of messages is more than 64 MiB unpacked';

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
  // Members of a mebibyte each, because one of 64 takes long to pack.
  const most = Buffer.concat(Array(mostUnpacked / 1_048_576).fill(gzipSync(Buffer.alloc(1_048_576))));
  expect(await ungzip(most)).toHaveLength(mostUnpacked);
  const bomb = Buffer.concat([most, gzipSync(Buffer.alloc(1))]);
  await expect(ungzip(bomb)).rejects.toThrow(tooMuch);
  await expect(ungzip(Buffer.from('no gzip'))).rejects.toThrow('incorrect header check');
});

test('Zstandard: so is one that makes 4 GiB of 128 KiB', () => {
  expect(unzstd(zstdOf(3)).equals(Buffer.alloc(3 * 131_072))).toBe(true);
  expect(unzstd(zstdOf(mostUnpacked / 131_072))).toHaveLength(mostUnpacked);
  expect(() => unzstd(zstdOf(32_768))).toThrow(tooMuch);
  expect(() => unzstd(Buffer.from('no zstd'))).toThrow('invalid zstd data');
});
