import { fields, type Field, type Outcome } from './outcome.ts';

/** One field of one request that the servers answer differently. */
export type Difference = {
  readonly request: string;
  readonly field: Field;
  readonly ours: string | null;
  readonly theirs: string | null;
};

/** What differs, in which requests. `wherever` is every request that shows the pair, for what is the same all over. */
type Seen = {
  readonly requests: readonly string[] | 'wherever';
  /** Field → ours, theirs. */
  readonly differs: Readonly<Partial<Record<Field, readonly [ours: string | null, theirs: string | null]>>>;
};

/** Differences with one reason, that somebody has looked at: `differences.json` holds them. */
export type Reviewed = {
  readonly name: string;
  readonly why: string;
  /** Requirements and sections that say so. */
  readonly by: readonly string[];
  /** Who is right by the RFC; `both` where it leaves the choice. */
  readonly right: 'ours' | 'theirs' | 'both';
  readonly seen: readonly Seen[];
};

export const differencesOf = (request: string, ours: Outcome, theirs: Outcome): readonly Difference[] =>
  fields
    .filter((field) => ours[field] !== theirs[field])
    .map((field) => ({ request, field, ours: ours[field], theirs: theirs[field] }));

export type Comparison = {
  /** Seen, and in no review. */
  readonly unlisted: readonly string[];
  /** In a review, and not seen. */
  readonly gone: readonly string[];
  /** Seen, and in more than one review. */
  readonly ambiguous: readonly string[];
};

/** Holds what was seen against what was reviewed. Both must say the same. */
export const holdAgainst = (reviewed: readonly Reviewed[], seen: readonly Difference[]): Comparison => {
  const keys = reviewed.flatMap((review) => claimsOf(review, seen).map(keyOf));
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const shown = new Set(seen.map(keyOf));
  const idle = reviewed.flatMap((review) => idleIn(review, seen));
  return {
    unlisted: [...shown].filter((key) => !counts.has(key)),
    gone: [...[...counts.keys()].filter((key) => !shown.has(key)), ...idle],
    ambiguous: [...counts].filter(([, count]) => count > 1).map(([key]) => key),
  };
};

/** Ids of the requests that a review is about. */
export const requestsOf = (review: Reviewed, seen: readonly Difference[]): ReadonlySet<string> =>
  new Set(claimsOf(review, seen).map(({ request }) => request));

const keyOf = ({ request, field, ours, theirs }: Difference): string =>
  `${request}: ${field} is ${ours} with us, ${theirs} with the peer`;

const pairsOf = ({ differs }: Seen) =>
  Object.entries(differs).map(([field, [ours, theirs]]) => ({ field: field as Field, ours, theirs }));

const isPair =
  (pair: Omit<Difference, 'request'>) =>
  (one: Difference): boolean =>
    one.field === pair.field && one.ours === pair.ours && one.theirs === pair.theirs;

const claimsOf = (review: Reviewed, all: readonly Difference[]): readonly Difference[] =>
  review.seen.flatMap((group) =>
    pairsOf(group).flatMap((pair) =>
      group.requests === 'wherever'
        ? all.filter(isPair(pair))
        : group.requests.map((request) => ({ request, ...pair })),
    ),
  );

/** A pair that is said to be there wherever, and is nowhere. */
const idleIn = ({ name, seen }: Reviewed, all: readonly Difference[]): readonly string[] =>
  seen
    .filter(({ requests }) => requests === 'wherever')
    .flatMap(pairsOf)
    .filter((pair) => !all.some(isPair(pair)))
    .map(
      ({ field, ours, theirs }) => `${name}: ${field} is nowhere ${ours} with us, ${theirs} with the peer`,
    );
