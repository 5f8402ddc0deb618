import { endOfTime } from './record.ts';

/** Limits in a stream's metadata on which of its events are readable. */
export type Limits = {
  readonly maxCount?: bigint;
  readonly maxAgeSeconds?: bigint;
  readonly truncateBefore?: bigint;
};

export const noLimits: Limits = {};

/**
 * The limits in the last event of `$$stream`. Malformed metadata sets no limits at all; a value below its minimum is
 * ignored individually. Integers must be JSON integers: 3.0, "3" and null invalidate the whole document.
 */
export const parseLimits = (json: string | null): Limits => {
  const keys = json === null ? null : readKeys(json);
  if (!keys || !aclIsWellFormed(keys['$acl'])) return noLimits;
  const maxCount = integer(keys, '$maxCount');
  const maxAgeSeconds = integer(keys, '$maxAge');
  const truncateBefore = integer(keys, '$tb');
  const cacheControl = integer(keys, '$cacheControl');
  if ([maxCount, maxAgeSeconds, truncateBefore, cacheControl].includes('malformed')) return noLimits;
  return {
    ...(typeof maxCount === 'bigint' && maxCount > 0n ? { maxCount } : {}),
    ...(typeof maxAgeSeconds === 'bigint' && maxAgeSeconds > 0n ? { maxAgeSeconds } : {}),
    ...(typeof truncateBefore === 'bigint' && truncateBefore >= 0n ? { truncateBefore } : {}),
  };
};

export const isSoftDeleted = ({ truncateBefore }: Limits): boolean => truncateBefore === endOfTime;

/** The metadata that a soft delete writes; it replaces all earlier metadata. */
export const softDeleted = `{"$tb":${endOfTime}}`;

/** The same metadata with `$tb` set and all other keys unchanged; null if the document is malformed. */
export const withTruncateBefore = (json: string | null, revision: bigint): string | null => {
  const keys = json === null ? {} : readKeys(json);
  if (!keys) return null;
  return unmark(JSON.stringify({ ...keys, $tb: `${mark}${revision}` }));
};

/** JSON.parse turns 2^63−1 into a float, so numbers are replaced by marked strings. */
const mark = '\u0000number:';
const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const unmark = (json: string): string => json.replaceAll(/"\\u0000number:([^"]*)"/g, '$1');

const readKeys = (json: string): Record<string, unknown> | null => {
  try {
    JSON.parse(json);
    const marked = json.replaceAll(tokens, (token) =>
      token.startsWith('"') ? token : JSON.stringify(mark + token),
    );
    const keys: unknown = JSON.parse(marked);
    return isObject(keys) ? keys : null;
  } catch {
    return null;
  }
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const int64 = /^-?\d{1,19}$/;

const integer = (keys: Record<string, unknown>, name: string): bigint | 'malformed' | undefined => {
  const value = keys[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !value.startsWith(mark)) return 'malformed';
  const literal = value.slice(mark.length);
  if (!int64.test(literal)) return 'malformed';
  const number = BigInt(literal);
  return number > endOfTime || number < -endOfTime - 1n ? 'malformed' : number;
};

const aclKeys = new Set(['$r', '$w', '$d', '$mr', '$mw']);
const aclIsWellFormed = (acl: unknown): boolean =>
  acl === undefined || (isObject(acl) && Object.keys(acl).every((key) => aclKeys.has(key)));
