import { hkdfSync } from 'node:crypto';
import { encodeTime } from 'ulid';
import type { Instant } from '../../domain/kernel/decision.ts';

/** What a command that makes something draws instead of the clock, ids and random bytes: a repeat draws the same (ADR 88). */
export type Once = {
  readonly at: Instant;
  readonly newId: () => string;
  readonly bytes: (length: number) => Buffer;
};

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** @param key of the server @param salt of the first request @param at when that came */
export const makeOnce = (key: Uint8Array, salt: Uint8Array, at: Instant): Once => {
  let drawn = 0;
  const draw = (length: number): Buffer => {
    drawn += 1;
    return Buffer.from(hkdfSync('sha256', key, salt, `grantbook once ${drawn}`, length));
  };
  return {
    at,
    newId: () => `${encodeTime(at, 10)}${[...draw(16)].map((byte) => digits[byte % digits.length]).join('')}`,
    bytes: draw,
  };
};
