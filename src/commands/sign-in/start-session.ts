import type { Instant } from '../../domain/kernel/decision.ts';
import {
  type PasskeySignIn,
  sessionDecider,
  type SessionOrigin,
  startSession,
  type Upstream,
} from '../../domain/sign-in/session.ts';
import { sessionStream } from '../../domain/streams.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { SignInDependencies } from './dependencies.ts';
import { newSalt } from '../credentials/secrets.ts';
import { sessionCookie } from '../credentials/session-cookie.ts';
import { startStream } from '../kernel/start-stream.ts';

type Dependencies = Pick<SignInDependencies, 'store' | 'keys' | 'newId' | 'lifetimes' | 'sessionUses'>;

export const nowhere: SessionOrigin = { device: null, network: null };

type BeginSession = {
  readonly userId: string;
  readonly at: Instant;
  readonly origin: SessionOrigin;
  readonly upstream?: Upstream;
  readonly passkey?: PasskeySignIn;
  /** One that was made for it before. */
  readonly sessionId?: string;
};

/** Starts a session, under a new id, of a user who has proved who they are. @returns the id, and the cookie's value */
export const beginSession = async (
  { store, keys, newId, lifetimes, sessionUses }: Dependencies,
  { userId, at, origin, upstream, passkey, sessionId = newId() }: BeginSession,
  context: CommandContext | undefined,
): Promise<{ readonly sessionId: string; readonly cookie: string }> => {
  const ticket = { sessionId, keyId: keys.current, salt: newSalt() };
  const { device, network } = origin;
  const expiresAt = at + lifetimes.session;
  await startStream(
    store,
    sessionStream(sessionId),
    sessionDecider,
    (session) =>
      startSession(session, {
        ...ticket,
        userId,
        expiresAt,
        device,
        network,
        upstream: upstream ?? null,
        passkey: passkey ?? null,
        now: at,
      }),
    { context, metadata: { actor: userId } },
  );
  await sessionUses?.note({ sessionId, userId, startedAt: at, expiresAt, lastSeenAt: at });
  return { sessionId, cookie: sessionCookie(keys, ticket) };
};
