import type { CommandLineDependencies } from './dependencies.ts';

/** Whether a user belongs to a publisher at this moment: read models say where to look, and the log decides. */
export const makeIsMember =
  ({ commands, readModels }: Pick<CommandLineDependencies, 'commands' | 'readModels'>) =>
  async (userId: string): Promise<boolean> => {
    const candidates = await readModels.publishersOf(userId);
    const found = await Promise.all(candidates.map((id) => commands.isPublisherMember(id, userId, true)));
    return found.includes(true);
  };
