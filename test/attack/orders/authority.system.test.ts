import { describe, expect, test } from 'vitest';
import { isRelease } from '../../support/tiers.ts';
import {
  activation,
  approval,
  closing,
  operators,
  publishing,
  tokens,
  type Tally,
} from './authority-plans.ts';
import { explore, type Plan } from './explore.ts';
import type { Trouble } from './parts.ts';
import { decidesTwice } from './people.ts';

/** As in every-order.system.test.ts, for those who may act: people and organizations come and go. */
const interruptions = isRelease ? 2 : 1;
/** A process that dies after each of its steps; at less length after every second one, which alternates between the cases. */
const troublesOf = (turn: number): readonly Trouble[] => [
  {},
  ...[1, 2, 3, 4, 5, 6, 7]
    .filter((step) => isRelease || step % 2 === turn % 2)
    .map((diesAfter) => ({ diesAfter })),
  { wire: 'loses the answer' },
  { wire: 'delivers late' },
];

const cases: readonly (readonly [string, (tally: Tally) => (trouble: Trouble) => Plan])[] = [
  ['AC-04: an administrator is removed while a consent of theirs is under way', approval],
  ['AC-04: an administrator is removed while an activation of theirs is under way', activation],
  ['AC-04: an administrator is removed while tokens of theirs are used and made', tokens],
  ['AM-11: the last two operators are removed and disabled at once', operators],
  [
    'AP-10: a member of a publisher is removed while a secret and a change of theirs are under way',
    publishing,
  ],
  [
    'AP-10: a member of a publisher is removed while a change of theirs is under way that nobody has to approve',
    (tally) => publishing(tally, true, true),
  ],
  ['AM-10: an organization is closed while an add-on is activated', closing],
];

describe('in every order, whoever takes authority killed at any step and asked again', () => {
  test.each(cases)('%s', async (title, plan) => {
    const tally = { succeeded: 0 };
    let plays = 0;
    for (const trouble of troublesOf(cases.findIndex(([named]) => named === title))) {
      const found = await explore(plan(tally)(trouble), null, { interruptions });
      expect(found.violation).toBeNull();
      plays += found.plays;
    }
    expect(plays).toBeGreaterThan(20);
    // A service that refuses everything would keep every promise, too.
    expect(tally.succeeded).toBeGreaterThan(plays / 10);
  });

  test.each<readonly [string, (trouble: Trouble) => Plan, RegExp]>([
    ['a consent that is not judged again before its answer', approval({ succeeded: 0 }, false), /^AC-04: /],
    ['an activation that is not judged again', activation({ succeeded: 0 }, false), /^AC-04: /],
    ['a secret of a member who is not judged again', publishing({ succeeded: 0 }, false), /^AP-10: /],
    [
      'permissions to remove operators that nothing arbitrates',
      operators({ succeeded: 0 }, decidesTwice),
      /^AM-11: 0/,
    ],
  ])('the same search finds what is wrong: %s', async (_title, plan, breaks) => {
    expect((await explore(plan({}), null, { interruptions: 1 })).violation).toMatch(breaks);
  });
});
