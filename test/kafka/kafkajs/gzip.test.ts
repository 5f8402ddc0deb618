import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { gzipCodec, mostUnpacked } from '../../../src/kafka/kafkajs/gzip.ts';

test('what was packed is unpacked', async () => {
  const packed = await gzipCodec.compress({ buffer: Buffer.from('records') });
  expect(String(await gzipCodec.decompress(packed))).toBe('records');
});

test('a batch that would fill the memory is refused in words, and damage as what it is', async () => {
  const most = gzipSync(Buffer.alloc(mostUnpacked), { level: 1 });
  const more = gzipSync(Buffer.alloc(mostUnpacked + 1), { level: 1 });
  expect(await gzipCodec.decompress(most)).toHaveLength(mostUnpacked);
  await expect(gzipCodec.decompress(more)).rejects.toThrow(
    'a batch of messages in gzip is more than 64 MiB unpacked',
  );
  await expect(gzipCodec.decompress(Buffer.from('no gzip'))).rejects.toThrow('incorrect header check');
});
