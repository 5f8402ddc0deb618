import { accept, type Decider, type Decision, type Instant, refuse } from '../kernel/decision.ts';

/**
 * Where a session was started: for the list that its user sees, so that a stranger's session is noticed. Null where it
 * is not known, and in events of the version before.
 */
export type SessionOrigin = {
  /** The browser and its system in plain words, such as `Firefox on Linux`. */
  readonly device: string | null;
  /** An IPv4 address, or the /64 of an IPv6 address. */
  readonly network: string | null;
};

/**
 * A sign-in with an OpenID provider: its id in our settings, and what it says about the authentication. `authTime` is
 * null where it does not say when the user signed in.
 */
export type Upstream = {
  readonly provider: string;
  readonly authTime: Instant | null;
  readonly acr: string | null;
  readonly amr: readonly string[] | null;
};

/** A sign-in with a passkey of the account. `amr` are the methods of RFC 8176 that it stands for. */
export type PasskeySignIn = { readonly passkeyId: string; readonly amr: readonly string[] };

/** A browser session. The cookie's secret part is an HMAC over the session's id and `salt`. */
export type SessionEvent =
  | {
      readonly type: 'SessionStarted';
      readonly data: {
        readonly sessionId: string;
        readonly userId: string;
        readonly keyId: string;
        readonly salt: string;
        readonly at: Instant;
        readonly expiresAt: Instant;
        /** Null without a provider: the user signed in with a password or a passkey. */
        readonly upstream: Upstream | null;
        /** Null: no passkey was used. */
        readonly passkey: PasskeySignIn | null;
      } & SessionOrigin;
    }
  | {
      /**
       * Proof that this browser just activated the add-on: the hint in the configuration URL proves nothing (AC-01).
       */
      readonly type: 'ActivationHandedOff';
      readonly data: {
        readonly organizationId: string;
        readonly addonId: string;
        readonly at: Instant;
        readonly expiresAt: Instant;
      };
    }
  | { readonly type: 'SessionEnded'; readonly data: { readonly at: Instant } };

type Start = Extract<SessionEvent, { type: 'SessionStarted' }>['data'];
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
  { now, ...start }: Omit<Start, 'at'> & { readonly now: Instant },
): Decision<SessionEvent, 'session-exists'> =>
  session.status === 'absent'
    ? accept({ type: 'SessionStarted', data: { ...start, at: now } })
    : refuse('session-exists');

/**
 * A hand-off is not recorded when it would expire less than this after the existing one: repeated requests must not
 * fill the stream.
 */
const handOffsEvery = 60_000;

/** Records in the session that this browser has just activated an add-on for an organization (AC-01). */
export const handOffActivation = (
  session: BrowserSession,
  { now, ...handOff }: HandOff & { readonly now: Instant },
): Decision<SessionEvent, 'session-not-live'> => {
  const live = sessionAt(session, now);
  if (!live) return refuse('session-not-live');
  const { organizationId, addonId, expiresAt } = handOff;
  const last = live.handOffs.findLast((other) => other.addonId === addonId); // the one that counts
  if (last?.organizationId === organizationId && expiresAt < last.expiresAt + handOffsEvery) return accept();
  return accept({ type: 'ActivationHandedOff', data: { ...handOff, at: now } });
};

/** Ending a session that never existed or has ended changes nothing. */
export const endSession = (
  session: BrowserSession,
  { now }: { readonly now: Instant },
): Decision<SessionEvent> =>
  session.status === 'started' ? accept({ type: 'SessionEnded', data: { at: now } }) : accept();
