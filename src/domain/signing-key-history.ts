import type { Decider, Instant } from './decision.ts';

/** A key that signs id_tokens, log heads and exports was made; from here on it may become public. Never its private half. */
export type SigningKeyMade = {
  readonly type: 'SigningKeyMade';
  readonly data: {
    /** Thumbprint of the key (RFC 7638). */
    readonly kid: string;
    readonly alg: string;
    /** The public key as a JWK (RFC 7517 §4), as JSON. */
    readonly publicJwk: string;
    readonly createdAt: Instant;
    /** It signs nothing before. */
    readonly currentFrom: Instant;
    readonly at: Instant;
  };
};

/** Clients can find it in the JWKS. */
export type SigningKeyPublished = {
  readonly type: 'SigningKeyPublished';
  readonly data: { readonly kid: string; readonly at: Instant };
};

/** It signs nothing any more from `at` on. */
export type SigningKeyRetired = {
  readonly type: 'SigningKeyRetired';
  readonly data: {
    readonly kid: string;
    readonly at: Instant;
    /** It stays in the JWKS until then, for what it has signed. */
    readonly publishedUntil: Instant;
    /** `missing`: somebody deleted it from the database. */
    readonly reason: 'superseded' | 'missing';
    /** The key that signs instead. */
    readonly successor: string | null;
  };
};

export type SigningKeyEvent = SigningKeyMade | SigningKeyPublished | SigningKeyRetired;

/** What the log says of one key. */
export type RecordedKey = Omit<SigningKeyMade['data'], 'at'> & {
  readonly publishedAt: Instant | null;
  readonly retired: Omit<SigningKeyRetired['data'], 'kid'> | null;
};

/** Every key that was ever made, in that order. */
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

/** The first one counts: nothing that is said later of the same key changes when it may be used. */
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

/** A key that is in the database and was written by a holder of the token keys, as it is at a moment. */
export type KeyInUse = Pick<
  SigningKeyMade['data'],
  'kid' | 'alg' | 'publicJwk' | 'createdAt' | 'currentFrom'
> & {
  /** Null while it has no successor that signs. */
  readonly superseded: {
    readonly at: Instant;
    readonly by: string | null;
    readonly publishedUntil: Instant;
  } | null;
};

/**
 * What the log does not say yet of the keys in the database: of a key that an earlier version of this program made, of one whose
 * maker ended between the database and the log, of one that was superseded since, or that is gone from the database.
 * @param present the ids of all rows, those included that nobody vouches for
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
    // The version before published a key as soon as it had made it.
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
