import { randomBytes } from 'node:crypto';
import type { Instant } from '../domain/decision.ts';
import { normaliseEmail } from '../domain/email.ts';
import { sameBytes } from './secrets.ts';
import { macFor, type TokenKeys } from './token-keys.ts';

/**
 * One entry of the cookie: this browser has signed in to an account. Only the MAC depends on the account, so the entry
 * can be checked for the address that is typed, and reveals no account to anybody.
 */
type Entry = { readonly deviceId: string; readonly keyId: string; readonly expiresAt: Instant };

const grammar = /^([\w-]{22})\.(\w{1,16})\.(\d{1,15})\.[\w-]{43}$/;

/** Several people may share a browser; the entry with the oldest sign-in is dropped first. */
const maxEntries = 4;

const mint = (keys: TokenKeys, email: string, { deviceId, keyId, expiresAt }: Entry): string | null => {
  const entry = `${deviceId}.${keyId}.${expiresAt}`;
  const mac = macFor(keys, keyId, 'device', `${entry}\n${normaliseEmail(email)}`);
  return mac && `${entry}.${mac.toString('base64url')}`;
};

const entriesOf = (cookie: string | null): readonly string[] =>
  (cookie ?? '')
    .split('~')
    .filter((text) => grammar.test(text))
    .slice(0, maxEntries);

const open = (keys: TokenKeys, text: string, email: string, now: Instant): Entry | null => {
  const [, deviceId = '', keyId = '', until = ''] = grammar.exec(text) ?? [];
  const entry = { deviceId, keyId, expiresAt: Number(until) };
  const expected = mint(keys, email, entry);
  const isOurs = expected !== null && sameBytes(Buffer.from(expected), Buffer.from(text));
  return isOurs && now < entry.expiresAt ? entry : null;
};

/** The id under which the browser is known to the account of this address; null when it is not known. */
export const knownDevice = (
  keys: TokenKeys,
  cookie: string | null,
  email: string,
  now: Instant,
): string | null => {
  for (const text of entriesOf(cookie)) {
    const entry = open(keys, text, email, now);
    if (entry) return entry.deviceId;
  }
  return null;
};

/** The cookie after a sign-in: a browser keeps its id, and its entry gets a new lifetime. */
export const deviceCookie = (
  keys: TokenKeys,
  cookie: string | null,
  email: string,
  { now, lifetime }: { readonly now: Instant; readonly lifetime: number },
): string => {
  const deviceId = knownDevice(keys, cookie, email, now) ?? randomBytes(16).toString('base64url');
  const own = mint(keys, email, { deviceId, keyId: keys.current, expiresAt: now + lifetime });
  if (own === null) throw new Error(`there is no token key ${keys.current}`);
  const others = entriesOf(cookie).filter((text) => open(keys, text, email, now) === null);
  return [own, ...others].slice(0, maxEntries).join('~');
};
