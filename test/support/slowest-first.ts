import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readDurations } from './durations/durations.ts';

/** In a mutation round, which has a minute for each fault: the changed file (scripts/mutation-round.js). */
const changed = process.env['GRANTBOOK_NEAREST_TO'];

/** How many words the paths of a test and of the changed file have in common; more for the same name. */
const nearness = (path: string, source: string): number => {
  const wordsOf = (of: string) => of.replace(/(\.test)?\.ts$/, '').split(/[/-]/);
  const words = new Set(wordsOf(source));
  const test = wordsOf(path);
  return test.filter((word) => words.has(word)).length + (test.at(-1) === wordsOf(source).at(-1) ? 1 : 0);
};

/**
 * The slowest files first, as they are recorded, so that the run does not wait for one that started last; new files
 * before all others. In a mutation round, those nearest to the changed file come first, and the slowest last.
 */
export class SlowestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = readDurations();
    const pathOf = ({ moduleId }: TestSpecification) => relative(this.ctx.config.root, moduleId);
    const secondsOf = (file: TestSpecification) => durations[pathOf(file)]?.wall ?? Infinity;
    const slowestFirst = (a: TestSpecification, b: TestSpecification) =>
      Math.sign(secondsOf(b) - secondsOf(a)) || pathOf(a).localeCompare(pathOf(b), 'en');
    if (changed === undefined) return Promise.resolve(files.toSorted(slowestFirst));
    return Promise.resolve(
      files.toSorted(
        (a, b) => nearness(pathOf(b), changed) - nearness(pathOf(a), changed) || slowestFirst(b, a),
      ),
    );
  }
}
