import kafkajs from 'kafkajs';
import { decompressFrame as unlz4 } from 'lz4-napi';
import { uncompress as unsnappy } from 'snappy';
import { ungzip, unzstd } from './unpack.ts';

// Node does not find CompressionCodecs among the named exports of the package.
const { CompressionCodecs, CompressionTypes } = kafkajs;

/**
 * Decompresses messages of other clients. The library itself supports only gzip, without a size limit, and stops at the
 * first message with another codec, which would block its partition forever. We send nothing compressed.
 */
export const knowAllCodecs = (): void => {
  CompressionCodecs[CompressionTypes.GZIP] = () => onlyRead(ungzip);
  CompressionCodecs[CompressionTypes.Snappy] = () => onlyRead(snappyBlocks);
  CompressionCodecs[CompressionTypes.LZ4] = () => onlyRead((compressed) => unlz4(compressed));
  CompressionCodecs[CompressionTypes.ZSTD] = () =>
    onlyRead((compressed) => Promise.resolve(compressed).then(unzstd));
};

const onlyRead = (decompress: (compressed: Buffer) => Promise<Buffer>) => ({
  compress: () => Promise.reject(new Error('this codec is only read here')),
  decompress,
});

/** The Java client wraps blocks in a frame of its own (xerial), others send one block. */
const snappyBlocks = async (compressed: Buffer): Promise<Buffer> => {
  if (!compressed.subarray(0, xerial.length).equals(xerial)) return unframed(compressed);
  const blocks: Buffer[] = [];
  for (let at = xerial.length + 8; at < compressed.length;) {
    const from = at + 4;
    const to = from + compressed.readInt32BE(at);
    blocks.push(await unframed(compressed.subarray(from, to)));
    at = to;
  }
  return Buffer.concat(blocks);
};

const xerial = Buffer.from('\x82SNAPPY\0', 'latin1');

const unframed = async (block: Buffer): Promise<Buffer> =>
  Buffer.from(await unsnappy(block, { asBuffer: true }));
