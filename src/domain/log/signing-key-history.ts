import type { Decider, Instant } from '../kernel/decision.ts';

/**
 * A key that signs id_tokens, log heads and exports was made; from here on it may become public. The private half is
 * never stored here.
 */
export type SigningKeyMade = {
  readonly type: 'SigningKeyMade';
  readonly data: {
    /** Thumbprint of the key (RFC 7638). */
    readonly kid: string;
    readonly alg: string;
    /** The public key as a JWK (RFC 7517 §4), as JSON. */
    readonly publicJwk: string;
    readonly createdAt: Instant;
    /** It signs nothing before this time. */
    readonly currentFrom: Instant;
    readonly at: Instant;
  };
};

/** Clients can find it in the JWKS. */
export type SigningKeyPublished = {
  readonly type: 'SigningKeyPublished';
  readonly data: { readonly kid: string; readonly at: Instant };
};

/** From `at` on it signs nothing. */
export type SigningKeyRetired = {
  readonly type: 'SigningKeyRetired';
  readonly data: {
    readonly kid: string;
    readonly at: Instant;
    /** It stays in the JWKS until then, to verify what it signed. */
    readonly publishedUntil: Instant;
    /** `missing`: somebody deleted it from the database. */
    readonly reason: 'superseded' | 'missing';
    /** The key that signs instead. */
    readonly successor: string | null;
  };
};

export type SigningKeyEvent = SigningKeyMade | SigningKeyPublished | SigningKeyRetired;

/** The recorded state of one key. */
export type RecordedKey = Omit<SigningKeyMade['data'], 'at'> & {
  readonly publishedAt: Instant | null;
  readonly retired: Omit<SigningKeyRetired['data'], 'kid'> | null;
};

/** All keys ever made, in the order in which they were made. */
export type SigningKeyHistory = { readonly keys: readonly RecordedKey[] };

export const signingKeyDecider: Decider<SigningKeyHistory, SigningKeyEvent> = {
  initial: { keys: [] },
  evolve(history, event) {
    switch (event.type) {
      case 'SigningKeyMade':
        return made(history, event.data);
      case 'SigningKeyPublished':
        return changed(history, event.data.kid, { publishedAt: event.data.at, retired: null });
      case 'SigningKeyRetired': {
        const { kid, ...retired } = event.data;
        return changed(history, kid, { retired });
      }
    }
  },
};

/** The first event wins: a later one about the same key cannot change when it may be used. */
const made = (
  history: SigningKeyHistory,
  { kid, alg, publicJwk, createdAt, currentFrom }: SigningKeyMade['data'],
): SigningKeyHistory => {
  if (recordedKey(history, kid)) return history;
  const key = { kid, alg, publicJwk, createdAt, currentFrom, publishedAt: null, retired: null };
  return { keys: [...history.keys, key] };
};

const changed = (
  { keys }: SigningKeyHistory,
  kid: string,
  change: Partial<RecordedKey>,
): SigningKeyHistory => ({ keys: keys.map((key) => (key.kid === kid ? { ...key, ...change } : key)) });

export const recordedKey = ({ keys }: SigningKeyHistory, kid: string): RecordedKey | undefined =>
  keys.find((key) => key.kid === kid);

/** A key in the database that was written by a holder of the token keys, with its state at one moment. */
export type KeyInUse = Pick<
  SigningKeyMade['data'],
  'kid' | 'alg' | 'publicJwk' | 'createdAt' | 'currentFrom'
> & {
  /** Null until a successor signs. */
  readonly superseded: {
    readonly at: Instant;
    readonly by: string | null;
    readonly publishedUntil: Instant;
  } | null;
};

/**
 * The events that the log lacks about the keys in the database: about a key that an earlier version of this program
 * made, a key whose maker crashed between the database and the log, a key that was superseded since, or a key that is
 * gone from the database.
 * @param present the ids of all rows, untrusted ones included
 */
export const missingKeyEvents = (
  history: SigningKeyHistory,
  inUse: readonly KeyInUse[],
  present: ReadonlySet<string>,
  now: Instant,
): readonly SigningKeyEvent[] => [
  ...inUse.flatMap((key) => missingOf(key, recordedKey(history, key.kid), now)),
  ...history.keys
    .filter(({ kid, publishedAt, retired }) => publishedAt !== null && !retired && !present.has(kid))
    .map(({ kid }) => retire(kid, { at: now, publishedUntil: now, reason: 'missing', successor: null })),
];

const missingOf = (
  { superseded, ...key }: KeyInUse,
  known: RecordedKey | undefined,
  now: Instant,
): readonly SigningKeyEvent[] => {
  const { kid } = key;
  const isGone = superseded !== null && superseded.publishedUntil <= now;
  const isBack = known?.retired?.reason === 'missing' && !isGone;
  const isUnpublished = (known?.publishedAt ?? null) === null || isBack;
  const isUnretired = !known?.retired || isBack;
  return [
    ...(known ? [] : [{ type: 'SigningKeyMade' as const, data: { ...key, at: now } }]),
    // Earlier versions of this program published a key as soon as they had made it.
    ...(isUnpublished
      ? [{ type: 'SigningKeyPublished' as const, data: { kid, at: known ? now : key.createdAt } }]
      : []),
    ...(superseded !== null && isUnretired
      ? [
          retire(kid, {
            at: superseded.at,
            publishedUntil: superseded.publishedUntil,
            reason: 'superseded',
            successor: superseded.by,
          }),
        ]
      : []),
  ];
};

const retire = (kid: string, data: Omit<SigningKeyRetired['data'], 'kid'>): SigningKeyRetired => ({
  type: 'SigningKeyRetired',
  data: { kid, ...data },
});
