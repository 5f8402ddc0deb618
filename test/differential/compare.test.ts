import { expect, test } from 'vitest';
import { holdAgainst, requestsOf, type Difference, type Reviewed } from './compare.ts';

const status = (request: string, ours: string, theirs: string): Difference => ({
  request,
  field: 'status',
  ours,
  theirs,
});

const review = (
  requests: readonly string[] | 'wherever',
  pair: readonly [string, string],
  name = 'a',
): Reviewed => ({
  name,
  why: 'because',
  by: ['RFC 6749 §5.2'],
  right: 'both',
  seen: [{ requests, differs: { status: pair } }],
});

test('a difference that is reviewed is neither unlisted nor gone', () => {
  const seen = [status('one', '400', '401'), status('two', '400', '401')];
  for (const requests of [['one', 'two'], 'wherever'] as const)
    expect(holdAgainst([review(requests, ['400', '401'])], seen)).toEqual({
      unlisted: [],
      gone: [],
      ambiguous: [],
    });
});

test('one that is not reviewed is named, also where another pair of that field is', () => {
  const seen = [status('one', '400', '401'), status('two', '400', '404')];
  const { unlisted, gone } = holdAgainst([review('wherever', ['400', '401'])], seen);
  expect([unlisted, gone]).toEqual([['two: status is 400 with us, 404 with the peer'], []]);
});

test('a reviewed one that is gone is named', () => {
  expect(holdAgainst([review(['one'], ['400', '401'])], []).gone).toEqual([
    'one: status is 400 with us, 401 with the peer',
  ]);
  expect(holdAgainst([review('wherever', ['400', '401'])], []).gone).toEqual([
    'a: status is nowhere 400 with us, 401 with the peer',
  ]);
});

test('one that two reviews claim is ambiguous', () => {
  const both = [review(['one'], ['400', '401']), review('wherever', ['400', '401'], 'b')];
  const seen = [status('one', '400', '401')];
  expect(holdAgainst(both, seen).ambiguous).toEqual(['one: status is 400 with us, 401 with the peer']);
  expect(both.map((one) => [...requestsOf(one, seen)])).toEqual([['one'], ['one']]);
});
