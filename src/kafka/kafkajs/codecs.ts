import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Decompress } from 'fzstd';
import kafkajs from 'kafkajs';
import { decompressFrame as unlz4 } from 'lz4-napi';
import { uncompress as unsnappy } from 'snappy';

// Node does not find CompressionCodecs among the named exports of the package.
const { CompressionCodecs, CompressionTypes } = kafkajs;

/** Decompresses messages of other clients: the library knows only gzip, without a limit, and stops at others permanently. */
export const knowAllCodecs = (): void => {
  CompressionCodecs[CompressionTypes.GZIP] = () => onlyRead((compressed) => ungzip(compressed));
  CompressionCodecs[CompressionTypes.Snappy] = () => onlyRead(snappyBlocks);
  CompressionCodecs[CompressionTypes.LZ4] = () => onlyRead((compressed) => unlz4(compressed));
  CompressionCodecs[CompressionTypes.ZSTD] = () =>
    onlyRead((compressed) => Promise.resolve(compressed).then((packed) => unzstd(packed)));
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

const gunzipped = promisify(gunzip);

/** Maximum decompressed size of one producer batch. A broker's limit, by default 1 MiB, applies to the compressed size. */
const mostUnpacked = 64 * 1024 * 1024;

/**
 * A mebibyte of these expands to gigabytes (snappy 20-fold, lz4 255-fold). A batch above the limit waits, with its reason, until
 * somebody moves the group's offset; the process is safe.
 */
export const ungzip = async (packed: Buffer, most = mostUnpacked): Promise<Buffer> => {
  try {
    return await gunzipped(packed, { maxOutputLength: most });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooMuch(most);
    throw error;
  }
};

export const unzstd = (packed: Buffer, most = mostUnpacked): Buffer => {
  const parts: Uint8Array[] = [];
  let size = 0;
  const unpacking = new Decompress((part) => {
    size += part.length;
    if (size > most) throw tooMuch(most);
    parts.push(part);
  });
  unpacking.push(packed, true);
  return Buffer.concat(parts, size);
};

/** Without a cause, because logs would show the cause's message instead of this one. */
const tooMuch = (most: number) =>
  new Error(`a batch of messages is more than ${most / 1024 / 1024} MiB unpacked`);
