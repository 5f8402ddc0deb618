import { createHash, timingSafeEqual } from 'node:crypto';
import { drawBytes } from '../../common/random.ts';

/** 128 random bits as base64url: an event keeps it, and with it only the server can derive the credentials again. */
export const newSalt = (once?: { readonly bytes: (length: number) => Buffer }): string =>
  (once?.bytes ?? drawBytes)(16).toString('base64url');

/** BASE64URL(SHA-256(ASCII(verifier))), RFC 7636 §4.2. */
export const s256 = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/** Compares in a time that depends only on the lengths (G-06). */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.byteLength === b.byteLength && timingSafeEqual(a, b);
