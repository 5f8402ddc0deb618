import { createHash } from 'node:crypto';

/** So many at once keep the log busy without shutting out everybody else. */
const width = 16;

/** Runs over many grants, a few at a time. */
export const inTurns = async <T, U>(
  items: readonly T[],
  run: (item: T) => Promise<U>,
): Promise<readonly U[]> => {
  const results: U[] = [];
  for (let from = 0; from < items.length; from += width)
    results.push(...(await Promise.all(items.slice(from, from + width).map(run))));
  return results;
};

/** A UUID (RFC 9562 §5.8) from what the event is caused by and about: the same however often it is worked out. */
export const eventIdOf = (...parts: readonly string[]): string => {
  const bytes = createHash('sha256').update(parts.join('\n')).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
