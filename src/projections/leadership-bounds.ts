/** How soon a leader that is gone is missed. In milliseconds. */
export type LeadershipBounds = {
  /** So often a leader that has nothing else to say tells the server that it lives. */
  readonly heartbeatMs: number;
  /** After so long without a word the server ends the session, and with it the lock and what was not committed. */
  readonly silenceMs: number;
  /** So often a standby asks for the lock. */
  readonly pollMs: number;
  /** A statement that takes longer is cancelled, and its batch tried again. While one runs, nobody is silent. */
  readonly statementMs: number;
};

/**
 * A leader whose process is stopped, whose host has lost its power or whose network is cut is followed within
 * `silenceMs + pollMs`, and the moment that the next one needs to begin: 5 s with room to spare. A silence of 3 s is six
 * heartbeats, so that neither a long pause of the event loop nor a lost packet (sent again after 0.2, 0.6 and 1.4 s) costs
 * the leadership. The longest statement of a batch of 1,000 events took 42 ms, its transaction 101 ms, on two cores that
 * nine processes wanted.
 */
export const leadershipBounds: LeadershipBounds = {
  heartbeatMs: 500,
  silenceMs: 3_000,
  pollMs: 500,
  statementMs: 10_000,
};
