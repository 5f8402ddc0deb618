import { endSession, sessionDecider } from '../domain/session.ts';
import { sessionStream } from '../domain/streams.ts';
import type { CommandContext } from './context.ts';
import type { CommandDependencies } from './dependencies.ts';
import { handle } from './handle.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

export type EndProviderSessions = {
  readonly provider: string;
  readonly issuer: string;
  /** At least one of the two; with a `sid`, that session's and those of the user that have none. */
  readonly sid: string | null;
  readonly subject: string | null;
};

/** A provider signed a user out (FE-06): ends our sessions that came from there. Grants stay valid. */
export const makeEndProviderSessions =
  ({ store, now, providerSessions }: Pick<CommandDependencies, 'store' | 'now' | 'providerSessions'>) =>
  async (request: EndProviderSessions, context?: CommandContext): Promise<{ readonly ended: number }> => {
    if (!providerSessions) throw new Error('no sign-in provider is configured');
    const { provider, ...at } = request;
    const sessionIds = await providerSessions.end(at);
    await Promise.all(
      sessionIds.map((sessionId) =>
        retryUnknownOutcome(() =>
          handle(
            store,
            sessionStream(sessionId),
            sessionDecider,
            (session) => endSession(session, { now: now() }),
            { context, metadata: { actor: `sign-in-provider:${provider}` } },
          ),
        ),
      ),
    );
    return { ended: sessionIds.length };
  };
