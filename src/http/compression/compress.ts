import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Coding } from './accepted-coding.ts';

/** Shorter than this, the header of a compressed body eats up what it saves. */
export const worthCompressing = 1_024;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** `once`: for what is sent again and again, within a tenth of a second (11 would take ten times as long for 8 %); `each-time`: about as fast as gzip, and shorter. */
export type Effort = 'once' | 'each-time';

const qualities = { once: 9, 'each-time': 4 } as const satisfies Record<Effort, number>;

/** Compresses outside of the event loop's thread. */
export const compress = (coding: Coding, body: Uint8Array, effort: Effort): Promise<Buffer> =>
  coding === 'gzip'
    ? zip(body, { level: effort === 'once' ? 9 : 5 })
    : brotli(body, {
        params: {
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_QUALITY]: qualities[effort],
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        },
      });
