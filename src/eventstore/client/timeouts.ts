/** Time limits of the gateway, because the client has none where they matter. In milliseconds. */
export type Timeouts = {
  /** One append attempt. Longer than the server's own 2–3 s, so that its answer arrives first. */
  readonly appendMs: number;
  /** How long an append with an unknown outcome is retried; a command then reads, and appends once more for as long: 15 s in total. */
  readonly outcomeMs: number;
  readonly readMs: number;
  /** How long a call is retried while no server can be reached. */
  readonly unavailableMs: number;
  /** The longest wait for the confirmation of a subscription. */
  readonly confirmMs: number;
  /**
   * How long a subscription, or a read of the log, is resumed without headway before it fails. A service never gives
   * up; a command must end.
   */
  readonly resumeMs: number;
  /** How long open calls may take to end on close. */
  readonly closeMs: number;
};

export const defaultTimeouts: Timeouts = {
  appendMs: 5_000,
  outcomeMs: 7_000,
  readMs: 5_000,
  unavailableMs: 2_000,
  confirmMs: 10_000,
  resumeMs: Infinity,
  closeMs: 1_000,
};

/** For a run of the command line, which must end within 10 s after a server has failed. */
export const commandTimeouts = { outcomeMs: 4_000, resumeMs: 5_000 } satisfies Partial<Timeouts>;
