import { createHash } from 'node:crypto';
import type { Instant } from '../../domain/kernel/decision.ts';
import { sameBytes } from './secrets.ts';
import { signText, verifyText } from './tagged-text.ts';
import type { TokenKeys } from './token-keys.ts';

const prefix = 'mkt_cli_';
const bindingLength = 32;

/** An authorization code of the command line. It names the token that it makes, so that it makes one alone. */
export type CommandLineCode = {
  readonly userId: string;
  readonly tokenId: string;
  readonly expiresAt: Instant;
};

/** What a code counts with, and nothing else. */
export type CodeBinding = {
  readonly redirectUri: string;
  /** S256 of the code verifier (RFC 7636 §4.2). */
  readonly codeChallenge: string;
  /** Where the account's tokens were last ended: what ends tokens ends codes. */
  readonly tokensEnded: string;
};

const bindingOf = ({ redirectUri, codeChallenge, tokensEnded }: CodeBinding): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([redirectUri, codeChallenge, tokensEnded]))
    .digest();

export const mintCommandLineCode = (
  keys: TokenKeys,
  { userId, tokenId, expiresAt }: CommandLineCode,
  binding: CodeBinding,
): string =>
  signText(keys, prefix, keys.current, (writer) => {
    writer.id(userId);
    writer.id(tokenId);
    writer.instant(expiresAt);
    writer.bytes(bindingOf(binding));
  });

/** Verifies a code without any I/O; null for everything that this server did not make as one. */
export const verifyCommandLineCode = (
  keys: TokenKeys,
  text: string,
): (CommandLineCode & { readonly isBoundTo: (binding: CodeBinding) => boolean }) | null => {
  const reader = verifyText(keys, prefix, text)?.reader;
  if (!reader) return null;
  const code = { userId: reader.id(), tokenId: reader.id(), expiresAt: reader.instant() };
  const bound = reader.bytes(bindingLength);
  return { ...code, isBoundTo: (binding) => sameBytes(bound, bindingOf(binding)) };
};
