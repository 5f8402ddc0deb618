import { accountDecider } from '../../domain/people/account.ts';
import { signOutAtProvider } from '../../domain/people/account-from-provider.ts';
import { endSession, sessionDecider } from '../../domain/sign-in/session.ts';
import { accountStream, sessionStream } from '../../domain/streams.ts';
import { identityStreams } from '../kernel/claim-streams.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { AccountDependencies } from '../people/dependencies.ts';
import type { SignInDependencies } from './dependencies.ts';
import { handle } from '../kernel/handle.ts';
import { retryUnknownOutcome } from '../kernel/retry-unknown-outcome.ts';

export type EndProviderSessions = {
  readonly provider: string;
  readonly issuer: string;
  /** At least one of the two; with a `sid`, that session's and those of the user that have none. */
  readonly sid: string | null;
  readonly subject: string | null;
};

type Dependencies = Pick<
  AccountDependencies & SignInDependencies,
  'store' | 'now' | 'persons' | 'providerSessions'
>;

/**
 * A provider signed a user out (FE-06): ends our sessions that came from there. Until the next sign-in, the user's
 * administrator tokens do not have the rights of its claims, whether or not there was a session. Grants stay valid.
 */
export const makeEndProviderSessions =
  ({ store, now, persons, providerSessions }: Dependencies) =>
  async (request: EndProviderSessions, context?: CommandContext): Promise<{ readonly ended: number }> => {
    if (!providerSessions) throw new Error('no sign-in provider is configured');
    const { provider, ...at } = request;
    const { issuer, subject } = at;
    const [sessions, userId] = await Promise.all([
      providerSessions.end(at),
      subject === null
        ? null
        : persons
            .identityDigest(issuer, subject)
            .then((digest) => identityStreams({ store, now }).ownerOf(digest)),
    ]);
    const change = { context, metadata: { actor: `sign-in-provider:${provider}` } };
    const users = new Set([userId, ...sessions.map((session) => session.userId)]);
    const signOut = (id: string) =>
      handle(
        store,
        accountStream(id),
        accountDecider,
        (account) => signOutAtProvider(account, { provider, now: now() }),
        change,
      );
    const end = (sessionId: string) =>
      handle(
        store,
        sessionStream(sessionId),
        sessionDecider,
        (session) => endSession(session, { now: now() }),
        change,
      );
    await Promise.all([
      ...[...users].map((id) => id !== null && retryUnknownOutcome(() => signOut(id))),
      ...sessions.map(({ sessionId }) => retryUnknownOutcome(() => end(sessionId))),
    ]);
    return { ended: sessions.length };
  };
