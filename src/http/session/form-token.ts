import { randomBytes } from 'node:crypto';
import type { Instant } from '../../domain/kernel/decision.ts';
import { signedFormat, type ValueSigner } from './value-signer.ts';

/** How long a form of a session can be sent: at most as long as a session lasts by default. */
export const formLifetime = 12 * 3_600_000;

/** What the field `csrf` of a form says: that we made it, for which session, and when. */
export type FormToken = {
  /** Another one for each page that is shown. */
  readonly id: string;
  readonly expiresAt: Instant;
  readonly isOf: (sessionId: string) => boolean;
};

/** `1.<proof of the session>.<id>.<time>.<MAC>` */
export const makeFormToken = (signer: ValueSigner, sessionId: string, now: Instant): string => {
  const id = randomBytes(16).toString('base64url');
  const text = `${signedFormat}.${signer.proofOf(sessionId)}.${id}.${now.toString(36)}`;
  return `${text}.${signer.proofOf(text)}`;
};

/** Null for everything that we did not make. No I/O. */
export const readFormToken = (signer: ValueSigner, sent: string): FormToken | null => {
  const [, text = '', proof = '', id = '', time = '', mac = ''] = grammar.exec(sent) ?? [];
  if (!signer.isProofOf(text, mac)) return null;
  const isOf = (sessionId: string) => signer.isProofOf(sessionId, proof);
  return { id, expiresAt: Number.parseInt(time, 36) + formLifetime, isOf };
};

const grammar = /^(1\.([\w-]{43})\.([\w-]{22})\.([0-9a-z]{1,11}))\.([\w-]{43})$/;
