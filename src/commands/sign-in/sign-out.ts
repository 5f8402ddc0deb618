import { isUlid } from '../../domain/kernel/ids.ts';
import { endSession, sessionDecider } from '../../domain/sign-in/session.ts';
import { sessionStream } from '../../domain/streams.ts';
import type { CommandContext } from '../kernel/context.ts';
import { handle } from '../kernel/handle.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { retryUnknownOutcome } from '../kernel/retry-unknown-outcome.ts';

/** Permanently ends a session; its cookie is refused from then on. Ending it twice, or none, is not an error. */
export const makeSignOut =
  ({ store, now }: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (sessionId: string, context?: CommandContext): Promise<void> => {
    if (!isUlid(sessionId)) return;
    await retryUnknownOutcome(() =>
      handle(
        store,
        sessionStream(sessionId),
        sessionDecider,
        (session) => endSession(session, { now: now() }),
        { context },
      ),
    );
  };
