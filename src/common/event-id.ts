import { createHash } from 'node:crypto';

/** A UUID (RFC 9562 §5.8) derived from the cause and the subject of the event: always the same. */
export const eventIdOf = (...parts: readonly string[]): string => {
  const bytes = createHash('sha256').update(parts.join('\n')).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
