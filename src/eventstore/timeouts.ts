/** How long the gateway waits for what; the client itself has no deadlines where they count. Milliseconds. */
export type Timeouts = {
  /** One attempt to append. Above the server's own 2–3 s, so that its answer is heard first. */
  readonly appendMs: number;
  /** How long an append whose outcome is unknown is retried; a command then reads, and appends once more for as long: 15 s in all. */
  readonly outcomeMs: number;
  /** The longest silence within a read. */
  readonly readMs: number;
  /** How long a call that finds nobody is tried again before it is given up as unavailable. */
  readonly unavailableMs: number;
  /** The longest silence after asking for a subscription. */
  readonly confirmMs: number;
  /** How long calls may take to let go on close. */
  readonly closeMs: number;
};

export const defaultTimeouts: Timeouts = {
  appendMs: 5_000,
  outcomeMs: 7_000,
  readMs: 5_000,
  unavailableMs: 2_000,
  confirmMs: 10_000,
  closeMs: 1_000,
};
