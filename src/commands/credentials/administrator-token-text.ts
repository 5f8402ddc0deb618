import type { Instant } from '../../domain/kernel/decision.ts';
import type { Origin } from './credentials.ts';
import { sameBytes } from './secrets.ts';
import { verifyText, signText } from './tagged-text.ts';
import { macFor, type TokenKeys } from './token-keys.ts';

/** Visible, so that secret scanners find a leaked one. */
const prefix = 'mkt_admin_';
const secretLength = 32;

/** What an administrator token contains: where to find its event, and when it expires. */
type Address = { readonly userId: string; readonly tokenId: string; readonly expiresAt: Instant };

export type VerifiedAdministratorToken = Address & { readonly keyId: string; readonly secret: Uint8Array };

/** Makes the token. It cannot be made from the log without the server's key. */
export const mintAdministratorToken = (keys: TokenKeys, origin: Origin, address: Address): string =>
  signText(keys, prefix, origin.keyId, (writer) => {
    writer.id(address.userId);
    writer.id(address.tokenId);
    writer.instant(address.expiresAt);
    writer.bytes(secretOf(keys, origin, address));
  });

/** Verifies a token without any I/O; null for everything that this server did not make as one. */
export const verifyAdministratorToken = (
  keys: TokenKeys,
  text: string,
): VerifiedAdministratorToken | null => {
  const opened = verifyText(keys, prefix, text);
  if (!opened) return null;
  const { keyId, reader } = opened;
  return {
    keyId,
    userId: reader.id(),
    tokenId: reader.id(),
    expiresAt: reader.instant(),
    secret: reader.bytes(secretLength),
  };
};

/** Whether its secret part is derived from what the event holds; called once the stream has been folded. */
export const isAdministratorTokenOf = (
  keys: TokenKeys,
  opened: VerifiedAdministratorToken,
  { keyId, salt }: Origin,
): boolean => opened.keyId === keyId && sameBytes(opened.secret, secretOf(keys, { keyId, salt }, opened));

const secretOf = (
  keys: TokenKeys,
  { keyId, salt }: Origin,
  { userId, tokenId, expiresAt }: Address,
): Uint8Array => {
  const secret = macFor(keys, keyId, 'secret', `administrator\n${userId}\n${tokenId}\n${expiresAt}\n${salt}`);
  if (!secret) throw new Error(`there is no token key ${keyId}`);
  return secret;
};
