import { isUlid } from '../../domain/kernel/ids.ts';
import { sameBytes } from './secrets.ts';
import { macFor, type TokenKeys } from './token-keys.ts';

/** The content of a session's cookie: the session, and the key id and salt that its first event holds too. */
export type SessionTicket = { readonly sessionId: string; readonly keyId: string; readonly salt: string };

const grammar = /^([0-9A-Z]{26})\.(\w{1,16})\.([\w-]{22})\.([\w-]{43})$/;

/** Null when there is no key with that id. */
const mint = (keys: TokenKeys, { sessionId, keyId, salt }: SessionTicket): string | null => {
  const ticket = `${sessionId}.${keyId}.${salt}`;
  const mac = macFor(keys, keyId, 'session', ticket);
  return mac && `${ticket}.${mac.toString('base64url')}`;
};

/** The value of the cookie. It cannot be made from the log without the server's key. */
export const sessionCookie = (keys: TokenKeys, ticket: SessionTicket): string => {
  const cookie = mint(keys, ticket);
  if (cookie === null) throw new Error(`there is no token key ${ticket.keyId}`);
  return cookie;
};

/** Verifies a cookie without I/O; null if this server did not make it. Compared as text: base64url has several spellings. */
export const verifySessionCookie = (keys: TokenKeys, cookie: string): SessionTicket | null => {
  const [, sessionId = '', keyId = '', salt = ''] = grammar.exec(cookie) ?? [];
  if (!isUlid(sessionId)) return null;
  const ticket = { sessionId, keyId, salt };
  const expected = mint(keys, ticket);
  return expected !== null && sameBytes(Buffer.from(expected), Buffer.from(cookie)) ? ticket : null;
};
