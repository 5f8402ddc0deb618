import type { CommandContext } from '../commands/kernel/context.ts';
import { breakGlass } from '../domain/kernel/actor.ts';

/** Who performs a task: the caller of the API, or somebody on the command line. */
export const actorOf = ({ acting }: CommandContext) => ({
  by: acting?.actor ?? breakGlass,
  tokenId: acting?.tokenId ?? null,
});
