import type { Instant } from '../domain/decision.ts';
import { sessionDecider, type SessionOrigin, startSession } from '../domain/session.ts';
import { sessionStream } from '../domain/streams.ts';
import type { CommandContext } from './context.ts';
import type { CommandDependencies } from './dependencies.ts';
import { newSalt } from './secrets.ts';
import { sessionCookie } from './session-cookie.ts';
import { startStream } from './start-stream.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'keys' | 'newId' | 'lifetimes' | 'sessionUses'>;

export const nowhere: SessionOrigin = { device: null, network: null };

/**
 * Starts a session of a user who has proved who they are, under a new id.
 * @returns the id, and the value of the session's cookie
 */
export const beginSession = async (
  { store, keys, newId, lifetimes, sessionUses }: Dependencies,
  {
    userId,
    authTime,
    origin,
  }: { readonly userId: string; readonly authTime: Instant; readonly origin: SessionOrigin },
  context: CommandContext | undefined,
): Promise<{ readonly sessionId: string; readonly cookie: string }> => {
  const ticket = { sessionId: newId(), keyId: keys.current, salt: newSalt() };
  const { sessionId } = ticket;
  const { device, network } = origin;
  const expiresAt = authTime + lifetimes.session;
  await startStream(
    store,
    sessionStream(sessionId),
    sessionDecider,
    (session) => startSession(session, { ...ticket, userId, expiresAt, device, network, now: authTime }),
    { context, metadata: { actor: userId } },
  );
  await sessionUses?.note({ sessionId, userId, startedAt: authTime, expiresAt, lastSeenAt: authTime });
  return { sessionId, cookie: sessionCookie(keys, ticket) };
};
