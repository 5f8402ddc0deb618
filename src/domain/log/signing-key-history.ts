import type { DataIn, EventsIn } from '../describe-event.ts';
import type { Decider, Instant } from '../kernel/decision.ts';
import type { signingKeyEvents } from './events.ts';

export type SigningKeyEvent = EventsIn<typeof signingKeyEvents>;
type Made = DataIn<typeof signingKeyEvents, 'SigningKeyMade'>;
type Retired = DataIn<typeof signingKeyEvents, 'SigningKeyRetired'>;

export type RecordedKey = Omit<Made, 'at'> & {
  readonly publishedAt: Instant | null;
  readonly retired: Omit<Retired, 'kid'> | null;
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
  { kid, alg, publicJwk, createdAt, currentFrom }: Made,
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
export type KeyInUse = Pick<Made, 'kid' | 'alg' | 'publicJwk' | 'createdAt' | 'currentFrom'> & {
  /** Null until a successor signs. */
  readonly superseded: {
    readonly at: Instant;
    readonly by: string | null;
    readonly publishedUntil: Instant;
  } | null;
};

/** What the log lacks about keys in the database: after a crash, in a restored log, superseded, or gone. `present`: all rows' ids. */
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
    ...(isUnpublished ? [{ type: 'SigningKeyPublished' as const, data: { kid, at: now } }] : []),
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

const retire = (kid: string, data: Omit<Retired, 'kid'>): SigningKeyEvent => ({
  type: 'SigningKeyRetired',
  data: { kid, ...data },
});
