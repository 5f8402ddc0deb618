import type { Instant } from '../kernel/decision.ts';

/** A session that was used, and when. */
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
