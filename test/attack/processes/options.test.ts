import { expect, test } from 'vitest';
import { divide, readOptions, variantNames } from './options.ts';

test('the rounds are divided among all variants, most of them plain, and none is lost', () => {
  for (const rounds of [1, 2, 5, 6, 7, 30, 1000]) {
    const parts = divide({ rounds, only: null });
    expect([...parts.values()].reduce((sum, part) => sum + part, 0)).toBe(rounds);
    expect([...parts.values()].filter((part) => part > 0).length).toBe(Math.min(rounds, variantNames.length));
  }
  expect(divide({ rounds: 1000, only: null }).get('plain')).toBe(880);
  expect([...divide({ rounds: 30, only: null }).values()]).toEqual([10, 4, 4, 4, 4, 4]);
  expect([...divide({ rounds: 9, only: 'dropped-replies' })]).toEqual([['dropped-replies', 9]]);
});

test('without a number it is a thousand rounds, with the seed that it is offered', () => {
  expect(readOptions([], 7)).toEqual({ rounds: 1000, seed: 7, only: null });
  expect(readOptions(['--rounds', '20', '--seed', '0', '--only', 'plain'], 7)).toEqual({
    rounds: 20,
    seed: 0,
    only: 'plain',
  });
});

test.each([
  [['--rounds', '0'], '--rounds: got "0"; allowed: a whole number from 1 to 1000000'],
  [['--rounds', '1e3'], '--rounds: got "1e3"; allowed: a whole number from 1 to 1000000'],
  [['--seed', '-1'], 'allowed: --rounds N, --seed S, --only NAME'],
  [['--seed', 'x'], '--seed: got "x"; allowed: a whole number from 0 to 4294967295'],
  [['--only', 'toString'], `--only: got "toString"; allowed: ${variantNames.join(', ')}`],
  [['--round', '5'], "Unknown option '--round'; allowed: --rounds N, --seed S, --only NAME"],
  [['now'], 'allowed: --rounds N, --seed S, --only NAME'],
])('%j is refused, and what is allowed is named', (args, problem) => {
  expect(readOptions(args, 7)).toEqual({ problem: expect.stringContaining(problem) as string });
});
