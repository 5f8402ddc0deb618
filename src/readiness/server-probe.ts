import { withTimeoutOrNull } from '../common/with-timeout.ts';

/** By the server's clock, between two instants of ours; milliseconds since the Unix epoch. */
export type ServerTime = { readonly asked: number; readonly created: number; readonly answered: number };

/** The known state of a server: whether it accepts writes, and how far its clock differs from ours. */
export type ServerState = {
  /** Null while it accepts writes. */
  readonly trouble: string | null;
  /** Whether the only trouble is that a write could not be tried. */
  readonly isUntried: boolean;
  /** Milliseconds by which its clock is certainly ahead of ours (negative: behind); null when unknown. */
  readonly ahead: number | null;
};

export type ServerProbeDependencies = {
  readonly write: () => Promise<ServerTime>;
  /** In words for `checks`, without addresses. */
  readonly explain: (error: unknown) => string;
  /**
   * Whether the error says that trying is not allowed: then it is rarely tried again, because each try costs the
   * connection of others.
   */
  readonly isDenied?: (error: unknown) => boolean;
  /** Called when the trouble begins, changes, or ends. */
  readonly changed?: (state: ServerState) => void;
  /** A monotonic clock: milliseconds. */
  readonly ticks: () => number;
};

/** OP-05: no more often than this, and only when somebody asks. */
const every = 5_000;
const everyWhenDenied = 600_000;
/** A write without an answer for this long counts as trouble, though it may still succeed later. */
const silence = 5_000;
/** How long a caller waits for a probe that has just begun; longer if no recent state is known. */
const patience = 1_000;

/** Tries a write when it is called, at most every five seconds, and returns the newest result. */
export const makeServerProbe = ({ write, explain, isDenied, changed, ticks }: ServerProbeDependencies) => {
  let known: { readonly state: ServerState; readonly at: number } | null = null;
  let running: { readonly since: number; readonly done: Promise<void> } | null = null;
  let notBefore = -Infinity;

  const start = (): void => {
    const since = ticks();
    notBefore = since + every;
    const judged = write().then(
      (time): ServerState => ({ trouble: null, isUntried: false, ahead: aheadBy(time) }),
      (error: unknown): ServerState => {
        const isUntried = isDenied?.(error) ?? false;
        if (isUntried) notBefore = since + everyWhenDenied;
        return { trouble: explain(error), isUntried, ahead: null };
      },
    );
    const done = judged.then((state) => {
      if (state.trouble !== (known?.state.trouble ?? null)) changed?.(state);
      known = { state, at: ticks() };
      running = null;
    });
    running = { since, done };
  };
  const isRecent = (): boolean => known !== null && ticks() - known.at < 2 * every;
  const silent = (): ServerState | null =>
    running && ticks() - running.since >= silence
      ? { trouble: `no answer to a write for ${silence / 1000} s`, isUntried: false, ahead: null }
      : null;

  return async (): Promise<ServerState> => {
    if (!running && ticks() >= notBefore) start();
    if (running && !silent())
      await withTimeoutOrNull(isRecent() ? patience : running.since + silence - ticks(), running.done);
    return silent() ?? known?.state ?? { trouble: null, isUntried: false, ahead: null };
  };
};

/** The duration of the round trip counts in the server's favour. */
const aheadBy = ({ asked, created, answered }: ServerTime): number =>
  created > answered ? created - answered : Math.min(0, created - asked);
