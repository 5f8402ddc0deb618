import { hash, timingSafeEqual } from 'node:crypto';
import type { Commands } from '../../../commands/commands.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import { one, type Params } from '../../requests/params.ts';
import type { RefusalReason } from '../../limits/refusal-reasons.ts';
import { invalidRequest, type TokenRefusal } from './token-answers.ts';

/** What a request presents to authenticate its client, read once; or what is wrong with it. */
export type SentClient =
  | {
      readonly ok: true;
      readonly clientId: string;
      /** SHA-256 of the secret; undefined without one. */
      readonly digest: Buffer | undefined;
    }
  | { readonly ok: false; readonly answer: TokenRefusal };

export type Authenticated =
  { readonly ok: true; readonly addon: Addon } | { readonly ok: false; readonly answer: TokenRefusal };

const failed = (answer: TokenRefusal) => ({ ok: false, answer }) as const;

/** One answer for every failed client authentication. */
export const invalidClient = (reason: RefusalReason): TokenRefusal => ({
  error: 'invalid_client',
  description: 'unknown client, or missing or invalid client authentication',
  status: 401,
  reason,
});

/** Authenticates the client (RFC 6749 §2.3) before any grant is looked up: strangers learn nothing about codes (TK-09). */
export const authenticateClient = async (
  commands: Pick<Commands, 'findAddon'>,
  sent: SentClient,
): Promise<Authenticated> => {
  if (!sent.ok) return sent;
  const { clientId, digest } = sent;
  const addon = isUlid(clientId) ? await commands.findAddon(clientId) : null;
  if (!addon || addon.retired) return failed(invalidClient(addon ? 'addon-retired' : 'client-unknown'));
  const unproven = whyUnproven(addon, digest);
  return unproven ? failed(invalidClient(unproven)) : { ok: true, addon };
};

/** The client id that the caller claims; not verified. */
export const claimedClientId = (sent: SentClient): string | undefined =>
  sent.ok ? sent.clientId : undefined;

/** Whether the credentials prove that the caller is this add-on; a public add-on needs none. */
export const isProvenBy = (addon: Addon, sent: SentClient): boolean =>
  sent.ok && whyUnproven(addon, sent.digest) === null;

export const readClient = (authorization: string | undefined, params: Params): SentClient => {
  const clientId = one(params, 'client_id');
  const secret = one(params, 'client_secret');
  if (authorization === undefined)
    return clientId === undefined
      ? failed(invalidRequest('client_id is missing', 'client-id-missing'))
      : presented(clientId, secret);
  const basic = readBasic(authorization);
  if (!basic) return failed(invalidClient('client-authentication-malformed'));
  if (secret !== undefined)
    return failed(invalidRequest('client_secret was sent in two ways', 'client-authenticated-twice'));
  if (clientId !== undefined && clientId !== basic.clientId)
    return failed(
      invalidRequest('client_id differs from the one in the Authorization header', 'client-ids-differ'),
    );
  return presented(basic.clientId, basic.secret);
};

const presented = (clientId: string, secret: string | undefined): SentClient => ({
  ok: true,
  clientId,
  digest: secret === undefined ? undefined : hash('sha256', secret, 'buffer'),
});

/** Both halves are form-encoded inside the base64 (TK-07); an empty password counts as no secret (TK-08). */
const readBasic = (authorization: string) => {
  const [, encoded] = /^basic +([A-Za-z0-9+/_=-]+)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return null;
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  const clientId = formDecode(user);
  const secret = formDecode(password);
  return clientId && secret !== undefined ? { clientId, secret: secret || undefined } : null;
};

const formDecode = (text: string | undefined): string | undefined => {
  if (text === undefined || !/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
};

/** The id of the secret that was sent; undefined where it is none of the add-on's. */
export const sentSecretId = ({ secretDigests, secretIds }: Addon, sent: SentClient): string | undefined =>
  sent.ok && sent.digest !== undefined ? secretIds[placeOf(secretDigests, sent.digest)] : undefined;

/** A public add-on must not send a secret; a confidential one must send one that is valid now. */
const whyUnproven = ({ secretDigests }: Addon, digest: Buffer | undefined): RefusalReason | null => {
  if (secretDigests.length === 0) return digest === undefined ? null : 'client-secret-not-expected';
  if (digest === undefined) return 'client-secret-missing';
  return placeOf(secretDigests, digest) >= 0 ? null : 'client-secret-wrong';
};

/** -1 if it is none of them. */
const placeOf = (secretDigests: readonly string[], digest: Buffer): number =>
  bytesOf(secretDigests).findIndex(
    (known) => known.length === digest.length && timingSafeEqual(known, digest),
  );

/** An add-on is kept in memory, and so are its digests. */
const bytes = new WeakMap<readonly string[], readonly Buffer[]>();

const bytesOf = (secretDigests: readonly string[]): readonly Buffer[] => {
  let known = bytes.get(secretDigests);
  if (!known)
    bytes.set(secretDigests, (known = secretDigests.map((digest) => Buffer.from(digest, 'base64url'))));
  return known;
};
