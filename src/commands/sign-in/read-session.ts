import { decodeTime } from 'ulid';
import { addressOf, type KnownAccount, type Role, shownEmail } from '../../domain/people/account.ts';
import { fold, type Instant } from '../../domain/kernel/decision.ts';
import {
  type PasskeySignIn,
  sessionAt,
  sessionDecider,
  type SessionEvent,
  type Upstream,
} from '../../domain/sign-in/session.ts';
import { sessionStream } from '../../domain/streams.ts';
import { LogBehind } from '../../eventstore/event-store.ts';
import { loadAccount } from '../people/accounts/load-account.ts';
import type { SignInDependencies } from './dependencies.ts';
import { verifySessionCookie } from '../credentials/session-cookie.ts';

type Started = Extract<SessionEvent, { readonly type: 'SessionStarted' }>;

export type Session = {
  readonly sessionId: string;
  readonly userId: string;
  readonly name: string;
  /** For people: marked where nobody vouches for it. */
  readonly email: string;
  /** The address that finds the account; null where there is none. */
  readonly address: string | null;
  /** Roles of the account. Whether it may do something with a role is read from the log each time. */
  readonly roles: readonly Role[];
  /** As chosen; null: as the browser says, and UTC. */
  readonly language: string | null;
  readonly timeZone: string | null;
  readonly disablings: number;
  readonly authTime: Instant;
  /** The provider that the user signed in with; null: with a password or a passkey. */
  readonly upstream: Upstream | null;
  readonly passkey: PasskeySignIn | null;
  /** Organizations and add-ons that this browser has just activated, not expired (AC-01). */
  readonly handOffs: readonly { readonly organizationId: string; readonly addonId: string }[];
};

type Dependencies = Pick<SignInDependencies, 'store' | 'keys' | 'now' | 'sessionUses' | 'lifetimes'>;

export const whoIs = (
  account: KnownAccount,
): Pick<Session, 'userId' | 'name' | 'email' | 'address' | 'roles' | 'language' | 'timeZone'> => {
  const { userId, name, roles, language, timeZone } = account;
  return { userId, name, email: shownEmail(account), address: addressOf(account), roles, language, timeZone };
};

/** Whether we made a cookie, for a session that may have ended. No I/O. */
export const makeIsSessionCookie =
  ({ keys }: Pick<Dependencies, 'keys'>) =>
  (cookie: string): boolean =>
    verifySessionCookie(keys, cookie) !== null;

/** The session of a cookie, from the log; null for a forged, ended, expired or lost one. A forged one costs no I/O. @throws LogBehind */
export const makeReadSession =
  ({ store, keys, now, sessionUses, lifetimes }: Dependencies) =>
  async (cookie: string): Promise<Session | null> => {
    const ticket = verifySessionCookie(keys, cookie);
    if (!ticket) return null;
    const time = now();
    const mustBeThere = time < decodeTime(ticket.sessionId) + lifetimes.session;
    const events = await readEvents(store, sessionUses, ticket.sessionId, mustBeThere);
    const [began] = events;
    const state = fold(
      sessionDecider,
      events.map(({ event }) => event as SessionEvent),
    );
    const session = sessionAt(state, time);
    if (!began || !session || session.salt !== ticket.salt || session.keyId !== ticket.keyId) return null;
    const { account, hasEnded } = await loadAccount(store, session.userId);
    if (account.status === 'absent') throw new LogBehind(`the log lacks the account ${session.userId}`);
    if (account.status !== 'enabled') return null;
    const { sessionId, authTime, upstream, passkey, expiresAt } = session;
    // Another password ends the session. So does disabling the account: if it was disabled because of a stolen cookie,
    // enabling it must not make the cookie valid again.
    if (hasEnded({ sessionId, began: began.position, passkey })) return null;
    void sessionUses?.note({
      sessionId,
      userId: session.userId,
      startedAt: (began.event as Started).data.at,
      expiresAt,
      lastSeenAt: time,
    });
    const handOffs = session.handOffs.map(({ organizationId, addonId }) => ({ organizationId, addonId }));
    const { epoch: disablings } = account;
    return { sessionId, ...whoIs(account), disablings, authTime, upstream, passkey, handOffs };
  };

/**
 * What the log has of a session. A missing one is lost only if a confirmed leader and the database lack it, as of an accepted older log
 * (docs/how-to/operations.md). @throws LogBehind otherwise
 */
const readEvents = async (
  store: Dependencies['store'],
  sessionUses: Dependencies['sessionUses'],
  sessionId: string,
  mustBeThere: boolean,
) => {
  const read = async () => (await store.read(sessionStream(sessionId))).events;
  const events = await read();
  if (events.length > 0 || !mustBeThere) return events;
  await store.confirmLeader();
  const confirmed = await read();
  if (confirmed.length === 0 && (await sessionUses?.has(sessionId)) !== false)
    throw new LogBehind(`the log lacks the session ${sessionId}`);
  return confirmed;
};
