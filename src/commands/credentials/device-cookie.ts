import { randomBytes } from 'node:crypto';
import type { Instant } from '../../domain/kernel/decision.ts';
import { normaliseEmail } from '../../domain/people/email.ts';
import { sameBytes } from './secrets.ts';
import { macFor, type TokenKeys } from './token-keys.ts';

/**
 * This browser has signed in to an account. Only its MACs depend on the account: checked for a typed address without I/O, revealing none.
 * Half of the id is a MAC of the user's id, against an account that claims the address later.
 */
type Entry = { readonly deviceId: string; readonly keyId: string; readonly expiresAt: Instant };

const grammar = /^([\w-]{22})\.(\w{1,16})\.(\d{1,15})\.[\w-]{43}$/;

/** Several people may share a browser; the entry with the oldest sign-in is dropped first. */
const maxEntries = 4;

const mint = (keys: TokenKeys, whose: string, { deviceId, keyId, expiresAt }: Entry): string | null => {
  const entry = `${deviceId}.${keyId}.${expiresAt}`;
  const mac = macFor(keys, keyId, 'device', `${entry}\n${normaliseEmail(whose)}`);
  return mac && `${entry}.${mac.toString('base64url')}`;
};

const entriesOf = (cookie: string | null): readonly string[] =>
  (cookie ?? '')
    .split('~')
    .filter((text) => grammar.test(text))
    .slice(0, maxEntries);

const open = (keys: TokenKeys, text: string, whose: string, now: Instant): Entry | null => {
  const [, deviceId = '', keyId = '', until = ''] = grammar.exec(text) ?? [];
  const entry = { deviceId, keyId, expiresAt: Number(until) };
  const expected = mint(keys, whose, entry);
  const isOurs = expected !== null && sameBytes(Buffer.from(expected), Buffer.from(text));
  return isOurs && now < entry.expiresAt ? entry : null;
};

const idLength = 8;

/** The id of a device of this user that begins with these bytes; null without the key. */
const idOf = (keys: TokenKeys, keyId: string, start: Buffer, userId: string): string | null => {
  const mac = macFor(keys, keyId, 'device-of', `${start.toString('hex')}\n${userId}`);
  return mac && Buffer.concat([start, mac.subarray(0, idLength)]).toString('base64url');
};

const isOf = (keys: TokenKeys, { deviceId, keyId }: Entry, userId: string): boolean =>
  deviceId === idOf(keys, keyId, Buffer.from(deviceId, 'base64url').subarray(0, idLength), userId);

/**
 * The browser's id for the account of this address; null when not known. @param whose what the attempt counts under (`countedAs`)
 * @param ownerOf the account's user id, asked only if the browser signed in with the address before
 */
export const knownDevice = async (
  keys: TokenKeys,
  cookie: string | null,
  { whose, ownerOf }: { readonly whose: string; readonly ownerOf: () => Promise<string | null> },
  now: Instant,
): Promise<string | null> => {
  const entries = entriesOf(cookie).flatMap((text) => open(keys, text, whose, now) ?? []);
  const owner = entries.length === 0 ? null : await ownerOf();
  return (owner !== null && entries.find((entry) => isOf(keys, entry, owner))?.deviceId) || null;
};

/** The cookie after a sign-in: a browser keeps its id, and its entry gets a new lifetime. */
export const deviceCookie = (
  keys: TokenKeys,
  cookie: string | null,
  { whose, userId }: { readonly whose: string; readonly userId: string },
  { now, lifetime }: { readonly now: Instant; readonly lifetime: number },
): string => {
  const present = entriesOf(cookie).map((text) => ({ text, entry: open(keys, text, whose, now) }));
  const known = present.find(
    ({ entry }) => entry?.keyId === keys.current && isOf(keys, entry, userId),
  )?.entry;
  const deviceId = known?.deviceId ?? idOf(keys, keys.current, randomBytes(idLength), userId) ?? '';
  const own = mint(keys, whose, { deviceId, keyId: keys.current, expiresAt: now + lifetime });
  if (own === null) throw new Error(`there is no token key ${keys.current}`);
  const others = present.flatMap(({ text, entry }) => (entry === null ? [text] : []));
  return [own, ...others].slice(0, maxEntries).join('~');
};
