import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { playTogether, shrink, type Ways } from './lists-lockstep.ts';
import { openStage } from './lists-stage.ts';
import { deepStories, longStories, stories, type Story } from './lists-story.ts';
import { isRelease } from '../support/tiers.ts';

const chosen = process.env['GRANTBOOK_LISTS_RUNS'];
/** Stories that share their transactions. */
const together = 250;

const stage = await openStage();
afterAll(() => stage.close());

/** The first story that goes wrong, as short as it gets, and why; null when all go well. */
const firstWrong = async (all: readonly Story[], over: Ways['over']) => {
  for (let from = 0; from < all.length; from += together) {
    const some = all.slice(from, from + together);
    const ways = { batches: 1 + ((from / together) % 3), over };
    const verdicts = await playTogether(stage, some, ways);
    const at = verdicts.findIndex((verdict) => verdict !== null);
    const [found, verdict] = [some[at], verdicts[at]];
    if (!found) continue;
    const story = await shrink(stage, found, ways);
    const [shortly] = await playTogether(stage, [story], ways);
    return { wrong: verdicts.filter(Boolean).length, number: from + at, verdict, shortly, story };
  }
  return null;
};

describe('lists as plain arrays foretell them', () => {
  const cases: readonly (readonly [string, fc.Arbitrary<Story>, number, Ways['over']])[] = [
    ['over HTTP', stories, 300, 'http'],
    ['under the route', stories, 3_000, 'function'],
    ['long lists', longStories, 40, 'function'],
    ['past 65,536 ordinals', deepStories, 2, 'function'],
  ];
  test.each(cases.map(([name, ...rest]) => [name, rest] as const))(
    'LI-03, LI-04, LI-05, LI-09: every page, walk, total and tag, whatever happens meanwhile, %s',
    async (_name, [arbitrary, thorough, over]) => {
      const numRuns = Number(chosen ?? (isRelease ? thorough : Math.ceil(thorough / 4)));
      const wrong = await firstWrong(fc.sample(arbitrary, numRuns), over);
      expect(JSON.stringify(wrong, null, 1)).toBe('null');
    },
  );
});
