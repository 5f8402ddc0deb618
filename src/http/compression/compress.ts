import { brotliCompress, constants, gzip } from 'node:zlib';

export type Coding = 'br' | 'gzip';

const offered = ['br', 'gzip'] as const;

/** The preferred coding (RFC 9110 §12.5.3), `br` among equals: it is shorter. Null: uncompressed, even where that is refused. */
export const acceptedCoding = (acceptEncoding: string | string[] | undefined): Coding | null => {
  if (acceptEncoding === undefined || acceptEncoding.length === 0) return null;
  const weights = new Map(String(acceptEncoding).split(',').map(weighted));
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = offered.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 ? best : null;
};

const weighted = (item: string): readonly [coding: string, weight: number] => {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [coding === 'x-gzip' ? 'gzip' : coding, weight === undefined ? 1 : Number(weight) || 0];
};

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
