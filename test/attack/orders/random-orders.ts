import fc from 'fast-check';
import { play, type Choose } from './explore.ts';
import { wires } from './instances.ts';
import type { Mutation } from './mutations.ts';
import { everybody } from './plans.ts';

// Everybody at once, in orders that fast-check makes up and makes simpler when something breaks.

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

export const holds = (mutation: Mutation | null, total = { issued: 0, accepted: 0 }) =>
  fc.asyncProperty(orders, async ({ turns: given, diesAfter, reactionDiesAfter, wire, theirWire }) => {
    const plan = everybody({ diesAfter, wire }, { wire: theirWire, diesAfter: reactionDiesAfter });
    const { judge } = await play(plan, mutation, inTurns(given));
    total.issued += judge.successes.issued;
    total.accepted += judge.successes.accepted;
  });

/** @returns how often something is issued, and accepted: a service that refuses everything would keep every promise, too */
export const successesIn = async (numRuns: number): Promise<readonly number[]> => {
  const total = { issued: 0, accepted: 0 };
  await fc.assert(holds(null, total), { numRuns, examples: [[oneAfterTheOther]] });
  return [total.issued, total.accepted];
};
