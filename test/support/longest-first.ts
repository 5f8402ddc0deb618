import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The slowest files (most of them only with GRANTBOOK_SLOW_TESTS), slowest first. A fresh clone has no recorded
 * durations, and if one of these started last, the run would wait for it alone.
 */
export const longest = [
  'test/attack/processes/attack.test.ts',
  'test/attack/orders/every-order.test.ts',
  'test/durability/kill.test.ts',
  'test/operations/drills.test.ts',
  'test/documents/run.test.ts',
  'test/signals/killed/killed.test.ts',
  'test/kafka/broker/relay/outage.test.ts',
  'test/browser/accessibility.test.ts',
  'test/model/lists-model.test.ts',
  'test/lifecycle/service.test.ts',
  'test/operations/log-copy.test.ts',
  'test/portability/node-versions.test.ts',
  'test/http/session/sign-in-timing.test.ts',
  'test/clients/other-languages/other-languages.test.ts',
  'test/instances/no-stickiness.test.ts',
  'test/cli/grantbook.test.ts',
  'test/projections/lists/list-depth.test.ts',
  'test/kafka/broker/ingest/members-come-and-go.test.ts',
  'test/lifecycle/embedded.test.ts',
  'test/kafka/broker/ingest/trouble.test.ts',
  'test/model/grant-model.test.ts',
] as const;

const rankOf = ({ moduleId }: TestSpecification, root: string): number => {
  const path: string = relative(root, moduleId);
  const rank = longest.findIndex((each) => each === path);
  return rank === -1 ? longest.length : rank;
};

/** In a mutation round, which has a minute for each fault: the changed file (scripts/mutation-round.js). */
const changed = process.env['GRANTBOOK_NEAREST_TO'];

/** How many words the paths of a test and of the changed file have in common; more for the same name. */
const nearness = ({ moduleId }: TestSpecification, root: string, source: string): number => {
  const wordsOf = (path: string) => path.replace(/(\.test)?\.ts$/, '').split(/[/-]/);
  const words = new Set(wordsOf(source));
  const test = wordsOf(relative(root, moduleId));
  return test.filter((word) => words.has(word)).length + (test.at(-1) === wordsOf(source).at(-1) ? 1 : 0);
};

/**
 * Vitest's own order, project by project, but with the slowest files of each project first. In a mutation round, those
 * nearest to the changed file come first, and the slowest last.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { root } = this.ctx.config;
    if (changed !== undefined)
      return sorted
        .toReversed()
        .sort(
          (a, b) =>
            nearness(b, root, changed) - nearness(a, root, changed) || rankOf(b, root) - rankOf(a, root),
        );
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((a, b) => rankOf(a, root) - rankOf(b, root)),
    );
  }
}
