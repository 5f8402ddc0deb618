import { accept, type Decider, type Decision, type Instant, refuse, type At } from '../kernel/decision.ts';
import type { DataIn, EventsIn } from '../describe-event.ts';
import type { sessionEvents } from './events.ts';

export type SessionEvent = EventsIn<typeof sessionEvents>;

type Start = DataIn<typeof sessionEvents, 'SessionStarted'>;

/** Where a session was started, for its user's list; null where unknown. */
export type SessionOrigin = Pick<Start, 'device' | 'network'>;
export type Upstream = NonNullable<Start['upstream']>;
export type PasskeySignIn = NonNullable<Start['passkey']>;
type HandOff = {
  readonly organizationId: string;
  readonly addonId: string;
  readonly expiresAt: Instant;
};

export type BrowserSession =
  | { readonly status: 'absent' }
  | ({
      readonly status: 'started';
      readonly sessionId: string;
      readonly userId: string;
      readonly keyId: string;
      readonly salt: string;
      readonly authTime: Instant;
      readonly upstream: Upstream | null;
      readonly passkey: PasskeySignIn | null;
      readonly expiresAt: Instant;
      readonly handOffs: readonly HandOff[];
    } & SessionOrigin)
  | { readonly status: 'ended' };

export type LiveSession = Extract<BrowserSession, { status: 'started' }>;

export const sessionDecider: Decider<BrowserSession, SessionEvent> = {
  initial: { status: 'absent' },
  evolve: (session, event) => {
    switch (event.type) {
      case 'SessionStarted': {
        const { at, upstream, ...start } = event.data;
        return { status: 'started', ...start, upstream, authTime: upstream?.authTime ?? at, handOffs: [] };
      }
      case 'ActivationHandedOff':
        return session.status === 'started'
          ? { ...session, handOffs: withHandOff(session.handOffs, event.data) }
          : session;
      case 'SessionEnded':
        return { status: 'ended' };
    }
  },
};

/** A later hand-off for the same organization and add-on replaces the earlier one. */
const withHandOff = (
  handOffs: readonly HandOff[],
  { organizationId, addonId, expiresAt }: HandOff,
): readonly HandOff[] => [
  ...handOffs.filter((other) => other.organizationId !== organizationId || other.addonId !== addonId),
  { organizationId, addonId, expiresAt },
];

/** The session at one moment: null once ended or expired, and without expired hand-offs. */
export const sessionAt = (session: BrowserSession, now: Instant): LiveSession | null =>
  session.status === 'started' && now < session.expiresAt
    ? { ...session, handOffs: session.handOffs.filter(({ expiresAt }) => now < expiresAt) }
    : null;

export const startSession = (
  session: BrowserSession,
  { now, ...start }: Omit<Start, 'at'> & At,
): Decision<SessionEvent, 'session-exists'> =>
  session.status === 'absent'
    ? accept({ type: 'SessionStarted', data: { ...start, at: now } })
    : refuse('session-exists');

/** A hand-off that would expire less than this after the existing one is not recorded: it must not fill the stream. */
const handOffsEvery = 60_000;

/** Records in the session that this browser has just activated an add-on for an organization (AC-01). */
export const handOffActivation = (
  session: BrowserSession,
  { now, ...handOff }: HandOff & At,
): Decision<SessionEvent, 'session-not-live'> => {
  const live = sessionAt(session, now);
  if (!live) return refuse('session-not-live');
  const { organizationId, addonId, expiresAt } = handOff;
  const last = live.handOffs.findLast((other) => other.addonId === addonId); // the one that counts
  if (last?.organizationId === organizationId && expiresAt < last.expiresAt + handOffsEvery) return accept();
  return accept({ type: 'ActivationHandedOff', data: { ...handOff, at: now } });
};

/** Ending a session that never existed or has ended changes nothing. */
export const endSession = (session: BrowserSession, { now }: At): Decision<SessionEvent> =>
  session.status === 'started' ? accept({ type: 'SessionEnded', data: { at: now } }) : accept();

export type SessionUse = {
  readonly sessionId: string;
  readonly userId: string;
  readonly startedAt: Instant;
  readonly expiresAt: Instant;
  readonly lastSeenAt: Instant;
};

/** When sessions were last used. It only finds a user's sessions: the log says what they are. */
export type SessionUses = {
  /** Stores that a session is used, at most once a minute. Never rejects: a failure is logged, and the next use is stored. */
  note(use: SessionUse): Promise<void>;
  /** The sessions that have not expired, newest use first, at most 100; and those that began last, at most `latest`. */
  of(userId: string, now: Instant, latest: number): Promise<readonly SessionUse[]>;
  /** Whether this database has stored a use of the session, the first one being its start. */
  has(sessionId: string): Promise<boolean>;
};
