import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';
import { normalUrl } from '../common/normal-url.ts';

/** The server's keys in the form of `src/commands/credentials/token-keys.ts`: the first of the list creates new credentials. */
export type TokenKeys = { readonly current: string; readonly keys: ReadonlyMap<string, Uint8Array> };

/** Plain digits: no sign, no exponent, no blanks. */
export const decimal = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max));

export const oneOf = <const T extends readonly string[]>(values: T) => z.enum(values);

/** Without query and fragment (RFC 8414 §2); in its one spelling, to which paths can be added. */
export const publicUrl = z
  .string()
  .refine((text) => isPlainHttpUrl(text))
  .transform(normalUrl);

function isPlainHttpUrl(text: string): boolean {
  if (!URL.canParse(text) || /[?#\s]/.test(text)) return false;
  const url = new URL(text);
  return ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
}

export const isLoopback = (url: string): boolean => isLoopbackHost(new URL(url).hostname);

/** By name or address; an IPv6 address with or without brackets. */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/.test(host);

/** Without a slash before the options: the client would take it for a part of the host. */
export const eventStoreUrl = z
  .string()
  .regex(/^esdb(\+discover)?:\/\/[^\s/]+/)
  .transform((text) => text.replace(/^([^?]*?)\/+(?=\?|$)/, '$1'));

/** What libpq's `target_session_attrs` may ask for: it is what the service insists on in any case. */
const writable = ['read-write', 'primary'];

/** A host in the query (a unix socket's folder) is allowed, as in libpq; a list is not, which the driver takes for one name. */
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/\S+\/[^\s/?]+(\?\S*)?$/)
  .refine((text) => {
    const [address = '', query = ''] = text.split('?');
    const hosts = new URLSearchParams(query)
      .getAll('host')
      .concat(address.replace(/^.*[/@](?=[^/]+\/[^/]+$)/, ''));
    const attributes = new URLSearchParams(query).getAll('target_session_attrs');
    return hosts.every((host) => !host.includes(',')) && attributes.every((each) => writable.includes(each));
  });

export const mailUrl = z.string().refine((text) => {
  if (!URL.canParse(text) || /[?#\s]/.test(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return ['smtp:', 'smtps:'].includes(protocol) && hostname !== '' && (pathname === '' || pathname === '/');
});

export const mailSender = z
  .string()
  .max(320)
  .regex(/^(?:[^\p{Cc}<>,;:"@]+ <)?[^\s@<>,;:"]+@[^\s@<>,;:"]+>?$/u)
  .refine((text) => text.includes('<') === text.endsWith('>'));

export const hostName = z
  .string()
  .max(253)
  .regex(
    /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/,
  );

export const brokers = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(
    z.array(
      z
        .string()
        .regex(/^[^\s:,]+:\d{1,5}$/)
        .refine(hasPort),
    ),
  );

function hasPort(address: string): boolean {
  const port = Number(address.split(':')[1]);
  return port >= 1 && port <= 65_535;
}

/** Valid names of topics and groups; metrics do not distinguish dots and underscores. */
export const kafkaName = z
  .string()
  .regex(/^[\w.-]{1,249}$/)
  .refine((name) => !/^\.{1,2}$/.test(name));

export const certificates = z.string().refine(isCertificate);

export const privateKey = z.string().refine(isPrivateKey);

function isCertificate(pem: string): boolean {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return found.length > 0 && found.every((one) => succeeds(() => new X509Certificate(one)));
}

function isPrivateKey(pem: string): boolean {
  return succeeds(() => createPrivateKey(pem));
}

/** Whether certificate and key are valid and match. */
export const belongTogether = (certificate: string, key: string): boolean =>
  new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

/** Addresses and networks in CIDR notation; not a network of all addresses, by which any client could forge its own. */
export const networks = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(z.string().refine(isNetwork)));

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || more.length > 0) return false;
  if (prefix === undefined) return true;
  const length = Number(prefix);
  return /^\d{1,3}$/.test(prefix) && length >= 1 && length <= (family === 4 ? 32 : 128);
}

const tokenKey = z
  .string()
  .regex(/^\w{1,16}:[\w-]{43}$/)
  .transform((text): readonly [string, Uint8Array] => {
    const [id = '', secret = ''] = text.split(':');
    return [id, Buffer.from(secret, 'base64url')];
  });

export const tokenKeys = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(tokenKey).min(1))
  .refine((pairs) => new Set(pairs.map(([id]) => id)).size === pairs.length)
  .transform((pairs): TokenKeys => ({ current: pairs[0]?.[0] ?? '', keys: new Map(pairs) }));
