import { isUlid } from '../../domain/kernel/ids.ts';
import { endSession } from '../../domain/sign-in/session.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { onSession } from '../kernel/handle-retrying.ts';

/** Permanently ends a session; its cookie is refused from then on. Ending it twice, or none, is not an error. */
export const makeSignOut =
  ({ store, now }: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (sessionId: string, context?: CommandContext): Promise<void> => {
    if (!isUlid(sessionId)) return;
    await onSession(store, sessionId, (session) => endSession(session, { now: now() }), { context });
  };
