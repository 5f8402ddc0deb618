import { createHash } from 'node:crypto';

/**
 * The first eight bytes of SHA-256, as PostgreSQL's bigint. Two ids may have the same key: after a search by key,
 * compare the ids.
 */
export const historyKey = (id: string): bigint =>
  createHash('sha256').update(id, 'utf8').digest().readBigInt64BE(0);
