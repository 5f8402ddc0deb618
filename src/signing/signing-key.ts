import type { IdTokenAlg } from '../domain/addons/addon.ts';
import type { Instant } from '../domain/kernel/decision.ts';

/** The public members of a key, with what a client needs to choose it (RFC 7517 §4, RFC 7518 §6, JW-01). */
export type PublicJwk = { readonly kid: string; readonly use: 'sig' } & (
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string; readonly alg: 'RS256' }
  | {
      readonly kty: 'EC';
      readonly crv: 'P-256';
      readonly x: string;
      readonly y: string;
      readonly alg: 'ES256';
    }
);

/** A key that was written by a holder of the token keys: nobody can sign with it without the server's token key. */
export type StoredKey = {
  /** Its thumbprint (RFC 7638), so that no two keys share one. */
  readonly kid: string;
  readonly publicJwk: PublicJwk;
  readonly tokenKeyId: string;
  readonly encryptedPrivateKey: Uint8Array;
  readonly createdAt: Instant;
  /** Until then it is only published, so that every client knows it before its first signature (JW-02). */
  readonly currentFrom: Instant;
  /** When another replaced it, by the log; null if it does not say. Deleting the newer one revives nothing. */
  readonly retiredAt: Instant | null;
};

export const idTokenLifetime = 3_600_000;

/** How long a retired key stays published: its last id_token has expired by then, even if clocks differ by ten minutes. */
const retention = idTokenLifetime + 600_000;

/** `gone`: no id_token that it signed is valid any more. */
export type KeyState = 'published' | 'current' | 'retired' | 'gone';

/** Each algorithm has its own keys, which replace each other. */
export const keysFor = (all: readonly StoredKey[], alg: IdTokenAlg): readonly StoredKey[] =>
  all.filter(({ publicJwk }) => publicJwk.alg === alg);

/** The state of a key among all of them. It depends only on the clock, so instances need not be notified. */
export const stateOf = (key: StoredKey, all: readonly StoredKey[], now: Instant): KeyState => {
  if (key.currentFrom > now && key.retiredAt === null) return 'published';
  const superseded = supersededAt(key, all, now);
  if (superseded === null) return 'current';
  return now < superseded.publishedUntil ? 'retired' : 'gone';
};

/** When another key replaced it, and which; null where none has. `by` is null where that key no longer exists. */
export const supersededAt = (
  key: StoredKey,
  all: readonly StoredKey[],
  now: Instant,
): { readonly at: Instant; readonly by: string | null; readonly publishedUntil: Instant } | null => {
  const [successor] = keysFor(all, key.publicJwk.alg)
    .filter((other) => isNewer(other, key) && other.currentFrom <= now)
    .toSorted((a, b) => (isNewer(a, b) ? 1 : -1));
  const at = key.retiredAt ?? successor?.currentFrom;
  return at === undefined ? null : { at, by: successor?.kid ?? null, publishedUntil: at + retention };
};

/** Whether a key replaces another; two of the same instant are ordered by their ids. */
export const isNewer = (a: StoredKey, b: StoredKey): boolean =>
  a.currentFrom > b.currentFrom || (a.currentFrom === b.currentFrom && a.kid > b.kid);
