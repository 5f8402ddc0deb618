import { publishersOf } from '../../administration/publishing/facts.ts';
import type { CommandLineDependencies } from './dependencies.ts';

/** Whether a user belongs to a publisher at this moment. */
export const makeIsMember =
  (dependencies: Pick<CommandLineDependencies, 'commands' | 'readModels'>) =>
  async (userId: string): Promise<boolean> =>
    (await publishersOf(dependencies, { userId, byClaim: true })).length > 0;
