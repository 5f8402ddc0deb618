import fc from 'fast-check';
import type { Kind } from './lists-array.ts';

/** What the host platform and the administrators do. Numbers name one of a few, so that they meet often. */
export type Write =
  | { readonly do: 'record'; readonly organization: number; readonly id: number; readonly profile: number }
  | { readonly do: 'remove'; readonly organization: number; readonly id: number }
  | { readonly do: 'profile'; readonly organization: number; readonly id: number; readonly user: number }
  | { readonly do: 'remove profile'; readonly organization: number; readonly id: number }
  /** A record that comes and goes so often: it leaves a gap of as many ordinals. */
  | { readonly do: 'churn'; readonly organization: number; readonly times: number }
  /** So many records at once are recorded, or removed. */
  | {
      readonly do: 'many';
      readonly organization: number;
      readonly from: number;
      readonly count: number;
      readonly there: boolean;
    }
  /** The add-on is deactivated there, or activated again. */
  | { readonly do: 'switch'; readonly organization: number };

/** What the add-on asks for. */
export type Ask =
  /** The page behind the present one in the direction of the walk; where it ends, another walk begins at `page`. */
  | { readonly ask: 'on'; readonly page: number }
  /** The same in the other direction. */
  | { readonly ask: 'turn'; readonly page: number }
  | { readonly ask: 'jump'; readonly page: number }
  /** A link or address from some time ago. */
  | { readonly ask: 'old'; readonly which: number }
  /** The same, with the tag that it had. */
  | { readonly ask: 'unless'; readonly which: number };

export type Round = { readonly writes: readonly Write[]; readonly ask: Ask };

export type Story = {
  readonly token: 'organization' | 'user';
  readonly kind: Kind;
  readonly perPage: number;
  readonly rounds: readonly Round[];
};

export const organizations = 2;
export const users = 2;
export const profiles = 4;
const records = 10;

const organization = fc.nat({ max: organizations - 1 });
const profile = fc.nat({ max: profiles - 1 });
const record = fc.record({
  do: fc.constant('record' as const),
  organization,
  id: fc.nat({ max: records - 1 }),
  profile,
});
const aProfile = fc.record({
  do: fc.constant('profile' as const),
  organization,
  id: profile,
  user: fc.nat({ max: users }), // the last is nobody
});

const churn = (times: fc.Arbitrary<number>) =>
  fc.record({ do: fc.constant('churn' as const), organization, times });
/** Once around a block of 256 ordinals costs as much as all else in a story. */
const mostlyOnce = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }) },
  { weight: 1, arbitrary: fc.integer({ min: 250, max: 300 }) },
);

const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 12, arbitrary: record },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('remove' as const),
      organization,
      id: fc.nat({ max: records - 1 }),
    }),
  },
  { weight: 4, arbitrary: aProfile },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('remove profile' as const), organization, id: profile }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('switch' as const), organization }) },
  { weight: 1, arbitrary: churn(mostlyOnce) },
);

/** `jumps`: how often a page is asked for by number, to a walk's step eight times. */
const asks = (page: fc.Arbitrary<number>, jumps: number): fc.Arbitrary<Ask> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ ask: fc.constant('on' as const), page }) },
    { weight: 2, arbitrary: fc.record({ ask: fc.constant('turn' as const), page }) },
    { weight: jumps, arbitrary: fc.record({ ask: fc.constant('jump' as const), page }) },
    { weight: 1, arbitrary: fc.record({ ask: fc.constant('old' as const), which: fc.nat({ max: 9 }) }) },
    { weight: 1, arbitrary: fc.record({ ask: fc.constant('unless' as const), which: fc.nat({ max: 9 }) }) },
  );

/** From the first page as often as not: only such a walk has to see everything. */
const pagesUpTo = (max: number) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, { weight: 4, arbitrary: fc.integer({ min: 1, max }) });

const storiesOf = (
  perPage: fc.Arbitrary<number>,
  beginning: fc.Arbitrary<readonly Write[]>,
  write: fc.Arbitrary<Write>,
  ask: fc.Arbitrary<Ask>,
): fc.Arbitrary<Story> =>
  fc
    .record({
      token: fc.constantFrom('organization' as const, 'user' as const),
      kind: fc.constantFrom('profiles' as const, 'reservations' as const, 'access_rights' as const),
      perPage,
      beginning,
      later: fc.array(fc.record({ writes: fc.array(write, { maxLength: 3 }), ask }), {
        minLength: 5,
        maxLength: 8,
        size: 'max',
      }),
    })
    .map(({ beginning: writes, later, ...story }) => ({
      ...story,
      rounds: [{ writes, ask: { ask: 'jump' as const, page: 1 } }, ...later],
    }));

const few = fc.array(fc.oneof({ weight: 4, arbitrary: record }, { weight: 1, arbitrary: aProfile }), {
  maxLength: 20,
});

/** Short lists and short pages, so that everything happens at their ends. */
export const stories = storiesOf(fc.integer({ min: 1, max: 4 }), few, write, asks(pagesUpTo(9), 1));

const many = (from: fc.Arbitrary<number>, count: fc.Arbitrary<number>, there: fc.Arbitrary<boolean>) =>
  fc.record({ do: fc.constant('many' as const), organization, from, count, there });

/** So that what is recorded first is in a user's list, too: mostly of the one who reads. */
export const everyProfile: readonly Write[] = Array.from({ length: organizations * profiles }, (_, n) => ({
  do: 'profile',
  organization: n % organizations,
  id: Math.floor(n / organizations),
  user: n < 6 ? 0 : 1,
}));
const hundreds = many(fc.nat({ max: 100 }), fc.integer({ min: 200, max: 500 }), fc.constant(true));
const manyAtOnce = fc.oneof(
  { weight: 2, arbitrary: write },
  { weight: 3, arbitrary: many(fc.nat({ max: 500 }), fc.integer({ min: 1, max: 400 }), fc.boolean()) },
);

/** Lists over several blocks, some of which are emptied. */
export const longStories = storiesOf(
  fc.integer({ min: 10, max: 60 }),
  fc.array(hundreds, { minLength: 2, maxLength: 3 }).map((told) => [...everyProfile, ...told]),
  manyAtOnce,
  asks(pagesUpTo(20), 8),
);

/** The ordinals go past 65,536, where the second of the blocks of blocks begins. */
export const deepStories = storiesOf(
  fc.integer({ min: 10, max: 60 }),
  fc
    .tuple(hundreds, churn(fc.integer({ min: 65_000, max: 65_536 })), hundreds)
    .map((told) => [...everyProfile, ...told.map((one) => ({ ...one, organization: 0 }))]),
  manyAtOnce,
  asks(pagesUpTo(20), 8),
);
