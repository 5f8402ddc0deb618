import { sessionDecider, startSession } from '../domain/session.ts';
import { sessionStream } from '../domain/streams.ts';
import type { Commands } from './commands.ts';
import { findAccount } from './find-account.ts';
import type { CommandNeeds } from './needs.ts';
import { newSalt } from './secrets.ts';
import { sessionCookie } from './session-cookie.ts';
import { startStream } from './start-stream.ts';

type Needs = Pick<CommandNeeds, 'store' | 'keys' | 'now' | 'newId' | 'passwords' | 'lifetimes'>;

/** In UTF-16 units, longer than any password can be: what lies beyond is not worth hashing. */
const longest = 1_024;

/**
 * Starts a session under a new id, at every sign-in (AZ-41). An unknown address, a wrong password and a disabled
 * account are refused alike, after the same work.
 */
export const makeSignIn =
  (needs: Needs): Commands['signIn'] =>
  async ({ email, password }) => {
    const account = await findAccount(needs.store, email);
    const passwordHash = account.status === 'absent' ? null : account.passwordHash;
    const right = await needs.passwords.verify(passwordHash, password.slice(0, longest));
    if (!right || account.status !== 'enabled') return { ok: false, refusal: 'wrong-credentials' };
    const { userId, name, email: address } = account;
    const { sessionId, cookie, authTime } = await start(needs, userId);
    const session = { sessionId, userId, name, email: address, authTime, handOffs: [] };
    return { ok: true, value: { cookie, session } };
  };

const start = async ({ store, keys, now, newId, lifetimes }: Needs, userId: string) => {
  const ticket = { sessionId: newId(), keyId: keys.current, salt: newSalt() };
  const authTime = now();
  const expiresAt = authTime + lifetimes.session;
  await startStream(
    store,
    sessionStream(ticket.sessionId),
    sessionDecider,
    (session) => startSession(session, { ...ticket, userId, expiresAt, now: authTime }),
    { actor: userId },
  );
  return { sessionId: ticket.sessionId, cookie: sessionCookie(keys, ticket), authTime };
};
