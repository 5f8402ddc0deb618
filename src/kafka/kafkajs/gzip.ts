import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Of one batch of a producer. A broker's limit, 1 MiB unless it was told otherwise, is on what is packed. */
export const mostUnpacked = 64 * 1024 * 1024;

/**
 * The library's codec, except that a batch that unpacks to gigabytes does not take the process down with it. Such a batch cannot
 * be read at all: its partition waits, and says why, until somebody moves the group's offset over it.
 */
export const gzipCodec = {
  compress: ({ buffer }: { readonly buffer: Buffer }): Promise<Buffer> => pack(buffer),
  decompress: async (packed: Buffer): Promise<Buffer> => {
    try {
      return await unpack(packed, { maxOutputLength: mostUnpacked });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
      // Without the cause, whose words would be shown instead of these.
      throw new Error(`a batch of messages in gzip is more than ${mostUnpacked / 1024 / 1024} MiB unpacked`);
    }
  },
};
