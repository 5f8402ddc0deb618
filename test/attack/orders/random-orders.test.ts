import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../support/property-runs.ts';
import { play, type Choose } from './explore.ts';
import { wires } from './instances.ts';
import { mutations, type Mutation } from './mutations.ts';
import { everybody } from './plans.ts';
import { isRelease, isSlow } from '../../support/tiers.ts';

/**
 * Everybody at once, in orders that fast-check makes up and makes simpler when something breaks: more of them by
 * GRANTBOOK_PROPERTY_RUNS, other ones by GRANTBOOK_SEED.
 */
const { numRuns: runs } = propertyRuns(isRelease ? 1_000 : isSlow ? 300 : 100);

/** Somebody goes on for so many steps; then it is the next one's turn. */
const turns = fc.array(fc.record({ who: fc.nat(19), steps: fc.integer({ min: 1, max: 8 }) }), {
  maxLength: 60,
  size: 'max',
});

const orders = fc.record({
  turns,
  diesAfter: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  reactionDiesAfter: fc.option(fc.integer({ min: 1, max: 16 }), { nil: undefined }),
  wire: fc.constantFrom(...wires),
  theirWire: fc.constantFrom(...wires),
});

/** In which something is issued and accepted, whatever else is drawn. */
const oneAfterTheOther = {
  turns: new Array<{ who: number; steps: number }>(),
  diesAfter: undefined,
  reactionDiesAfter: undefined,
  wire: 'answers',
  theirWire: 'answers',
} as const;

const inTurns = (given: readonly { readonly who: number; readonly steps: number }[]): Choose => {
  let turn = 0;
  let left = given[0]?.steps ?? 0;
  let current = -1;
  return (able) => {
    const actors = [...new Set(able.map(({ actor }) => actor))];
    if (left === 0 || !actors.includes(current)) {
      const { who, steps } = given[turn] ?? { who: 0, steps: 1 };
      turn += 1;
      left = steps;
      current = actors[who % actors.length] ?? -1;
    }
    left -= 1;
    return able.findIndex(({ actor }) => actor === current);
  };
};

const holds = (mutation: Mutation | null, total = { issued: 0, accepted: 0 }) =>
  fc.asyncProperty(orders, async ({ turns: given, diesAfter, reactionDiesAfter, wire, theirWire }) => {
    const plan = everybody({ diesAfter, wire }, { wire: theirWire, diesAfter: reactionDiesAfter });
    const { judge } = await play(plan, mutation, inTurns(given));
    total.issued += judge.successes.issued;
    total.accepted += judge.successes.accepted;
  });

describe('everybody at once', () => {
  test(`DE-02, DE-03, DE-04, DE-05: ${runs} orders`, { timeout: 300_000 }, async () => {
    const total = { issued: 0, accepted: 0 };
    await fc.assert(holds(null, total), { numRuns: runs, examples: [[oneAfterTheOther]] });
    // A service that refuses everything would keep every promise, too.
    expect(total.issued).toBeGreaterThan(0);
    expect(total.accepted).toBeGreaterThan(0);
  });

  test.each(mutations)('DE-02, DE-03: breaks with %s', { timeout: 60_000 }, async (mutation) => {
    const found = await fc.check(holds(mutation), { numRuns: 2_000, seed: 5, endOnFailure: true });
    expect(String(found.errorInstance)).toMatch(/P[12]: /);
    expect(found.failed, `${found.numRuns} orders`).toBe(true);
  });
});
