import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Coding } from './accepted-coding.ts';

/** In bytes. For shorter bodies the compression header costs more than compression saves. */
export const worthCompressing = 1_024;

/** `once`: for bodies sent many times, within a tenth of a second. `each-time`: about as fast as gzip, and shorter. */
export type Effort = 'once' | 'each-time';

const brotliQuality = { once: 9, 'each-time': 4 } as const satisfies Record<Effort, number>;
const gzipLevel = { once: 9, 'each-time': 5 } as const satisfies Record<Effort, number>;

type Compressed = (error: Error | null, body: Buffer) => void;

/** Compresses outside the thread of the event loop. */
export const compress = (coding: Coding, body: Uint8Array, effort: Effort, done: Compressed): void => {
  if (coding === 'gzip') return gzip(body, { level: gzipLevel[effort] }, done);
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: brotliQuality[effort],
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
  };
  brotliCompress(body, { params }, done);
};
