import { createHash } from 'node:crypto';
import type { Instant } from '../../domain/kernel/decision.ts';
import { verifyText, signText } from './tagged-text.ts';
import type { TokenKeys } from './token-keys.ts';

const prefix = 'mkt_link_';
const secretLength = 32;

/** What the token of a link contains: whose password it sets, until when, and the secret whose digest the log has. */
export type PasswordLinkToken = {
  readonly userId: string;
  readonly expiresAt: Instant;
  readonly secret: Uint8Array;
};

/** Makes the token. It cannot be made from the log, not even with the server's key. */
export const mintPasswordLink = (keys: TokenKeys, { userId, expiresAt, secret }: PasswordLinkToken): string =>
  signText(keys, prefix, keys.current, (writer) => {
    writer.id(userId);
    writer.instant(expiresAt);
    writer.bytes(secret);
  });

/** Verifies a token without any I/O; null for everything that this server did not make as one. */
export const verifyPasswordLink = (keys: TokenKeys, text: string): PasswordLinkToken | null => {
  const reader = verifyText(keys, prefix, text)?.reader;
  return reader
    ? { userId: reader.id(), expiresAt: reader.instant(), secret: reader.bytes(secretLength) }
    : null;
};

/** What the log keeps of a link: the secret is random, so its plain digest is enough. */
export const digestOfLink = ({ secret }: Pick<PasswordLinkToken, 'secret'>): string =>
  createHash('sha256').update(secret).digest('base64url');
