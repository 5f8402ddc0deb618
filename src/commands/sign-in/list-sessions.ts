import type { Instant } from '../../domain/kernel/decision.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import {
  sessionAt,
  sessionDecider,
  type SessionEvent,
  type SessionOrigin,
  type SessionUse,
} from '../../domain/sign-in/session.ts';
import { sessionStream } from '../../domain/streams.ts';
import { knownFrom } from '../kernel/handle.ts';
import { loadAccount, type AccountInLog } from '../people/accounts/load-account.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { SignInDependencies } from './dependencies.ts';

export type SessionItem = SessionOrigin & {
  readonly sessionId: string;
  readonly startedAt: Instant;
  readonly lastSeenAt: Instant;
  readonly expiresAt: Instant;
  /** Whether its cookie is accepted now. */
  readonly live: boolean;
};

export type SessionsOfUser = {
  /** The sessions that are valid now, newest use first. */
  readonly live: readonly SessionItem[];
  /** The newest sign-ins, newest first, whether or not their sessions have ended. */
  readonly latest: readonly SessionItem[];
};

const latestShown = 10;

/** The sessions of a user: found by the table of uses, judged by the log, so an ended one is never shown as valid. */
export const makeSessionsOf =
  ({ store, now, sessionUses }: Pick<SignInDependencies, 'store' | 'now' | 'sessionUses'>) =>
  async (userId: string): Promise<SessionsOfUser> => {
    if (!isUlid(userId) || !sessionUses) return { live: [], latest: [] };
    const time = now();
    const [account, uses] = await Promise.all([
      loadAccount(store, userId),
      sessionUses.of(userId, time, latestShown),
    ]);
    const read = await Promise.all(uses.map((use) => readItem(store, account, use, time)));
    const items = read.filter((item) => item !== null);
    return {
      live: items.filter(({ live }) => live).sort((a, b) => b.lastSeenAt - a.lastSeenAt),
      latest: items.toSorted((a, b) => b.startedAt - a.startedAt).slice(0, latestShown),
    };
  };

/** Null where documented retention has removed the session from the log. */
const readItem = async (
  store: CommandDependencies['store'],
  { account, hasEnded }: AccountInLog,
  { sessionId, lastSeenAt }: SessionUse,
  now: Instant,
): Promise<SessionItem | null> => {
  const { events } = await store.read(sessionStream(sessionId));
  const [began] = events;
  if (began?.event.type !== 'SessionStarted') return null;
  const { at: startedAt, expiresAt, device, network, passkey } = (began.event as SessionStarted).data;
  const { state } = knownFrom(sessionDecider, events);
  const live =
    account.status === 'enabled' &&
    sessionAt(state, now) !== null &&
    !hasEnded({ sessionId, began: began.position, passkey });
  return { sessionId, device, network, startedAt, lastSeenAt, expiresAt, live };
};

type SessionStarted = Extract<SessionEvent, { readonly type: 'SessionStarted' }>;
