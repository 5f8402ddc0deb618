import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Decompress } from 'fzstd';

const gunzipped = promisify(gunzip);

/**
 * Maximum decompressed size of one producer batch. A broker's limit, by default 1 MiB, applies to the compressed size.
 */
export const mostUnpacked = 64 * 1024 * 1024;

/**
 * These codecs can expand a mebibyte to gigabytes; snappy and lz4 only about 20-fold and 255-fold. A batch above the
 * limit cannot be read: its partition waits, and reports why, until somebody moves the group's offset past it. The
 * process and its memory are safe.
 */
export const ungzip = async (packed: Buffer): Promise<Buffer> => {
  try {
    return await gunzipped(packed, { maxOutputLength: mostUnpacked });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooMuch();
    throw error;
  }
};

export const unzstd = (packed: Buffer): Buffer => {
  const parts: Uint8Array[] = [];
  let size = 0;
  const unpacking = new Decompress((part) => {
    size += part.length;
    if (size > mostUnpacked) throw tooMuch();
    parts.push(part);
  });
  unpacking.push(packed, true);
  return Buffer.concat(parts, size);
};

/** Without a cause, because logs would show the cause's message instead of this one. */
const tooMuch = () =>
  new Error(`a batch of messages is more than ${mostUnpacked / 1024 / 1024} MiB unpacked`);
