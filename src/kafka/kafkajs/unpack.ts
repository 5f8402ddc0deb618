import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Decompress } from 'fzstd';

const gunzipped = promisify(gunzip);

/** Of one batch of a producer. A broker's limit, 1 MiB unless it was told otherwise, is on what is packed. */
export const mostUnpacked = 64 * 1024 * 1024;

/**
 * The codecs that make gigabytes of a mebibyte; snappy and lz4 know no more than the twenty- and the 255-fold. A batch that is
 * too much cannot be read: its partition waits, and says why, until somebody moves the group's offset over it. The process
 * and its memory live on.
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

/** Without a cause, whose words would be shown instead of these. */
const tooMuch = () =>
  new Error(`a batch of messages is more than ${mostUnpacked / 1024 / 1024} MiB unpacked`);
