import type { Outcomes } from '../../eventstore/event-store.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';

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
  /** Whether trying is not allowed: then `isGranted` is asked first, because each try costs the connection of others. */
  readonly isDenied?: (error: unknown) => boolean;
  /** Whether what was denied is allowed now: a server that has just begun to lead denies everything for seconds (FX-100). */
  readonly isGranted?: (error: unknown) => Promise<boolean>;
  /** Without it, only the probe is evidence. */
  readonly traffic?: () => Outcomes;
  /** Called when the trouble begins, changes, or ends. */
  readonly changed?: (state: ServerState) => void;
  /** A monotonic clock: milliseconds. */
  readonly ticks: () => number;
};

/** OP-05: no more often than this, and only when somebody asks. While writes fail, sooner: readiness must follow at once (FX-45). */
const every = 5_000;
const everyWhileFailing = 500;
/** So long after a request's call has failed the success of a probe proves nothing: it needs less than a request. */
const quiet = 1_000;
const everyWhenDenied = 1_000;
/** So often at least a write is tried that was denied although it seems granted; before, each wait is twice the last. */
const longestDenied = 600_000;
/** A write without an answer for this long counts as trouble, though it may still succeed later. */
const silence = 5_000;
/** How long a caller waits for a probe that has just begun; longer if no recent state is known. */
const patience = 1_000;

type Known = {
  readonly state: ServerState;
  readonly since: number;
  readonly at: number;
  /** Denied again after a request had succeeded: no request ends that, only that it is granted. */
  readonly isMissing: boolean;
};

const fine: ServerState = { trouble: null, isUntried: false, ahead: null };

/**
 * Tries a write when it is called, at most every five seconds (while writes fail, twice a second), and returns the newest
 * evidence: its result, or what became of the calls of requests.
 */
export const makeServerProbe = (dependencies: ServerProbeDependencies) => {
  const { write, explain, isDenied, isGranted, traffic = noTraffic, changed, ticks } = dependencies;
  let known: Known | null = null;
  let running: { readonly since: number; readonly done: Promise<void> } | null = null;
  let told: string | null = null;
  let denial: {
    readonly error: unknown;
    readonly firstAt: number;
    readonly until: number;
    readonly wait: number;
  } | null = null;
  /** Of any call of a request. */
  const answeredAt = (): number => Math.max(traffic().succeededAt, traffic().answeredAt);

  const deny = (error: unknown): void => {
    const wait = Math.min(longestDenied, denial ? denial.wait * 2 : everyWhenDenied);
    denial = { error, firstAt: denial?.firstAt ?? ticks(), until: ticks() + wait, wait };
  };
  /** @throws the denial while it lasts; what keeps the server from answering whether it does */
  const tryIt = async (): Promise<ServerTime> => {
    const { error, until } = denial ?? { error: null, until: -Infinity };
    if (denial && (ticks() < until || (await isGranted?.(error)) === false)) throw error;
    try {
      const time = await write();
      denial = null;
      return time;
    } catch (failure) {
      if (isDenied?.(failure)) deny(failure);
      else denial = null;
      throw failure;
    }
  };

  const start = (): void => {
    const since = ticks();
    const before = answeredAt();
    const judged = tryIt().then(
      (time): ServerState => ({ trouble: null, isUntried: false, ahead: aheadBy(time) }),
      (error: unknown): ServerState => {
        const isUntried = isDenied?.(error) ?? false;
        return { trouble: explain(error), isUntried, ahead: null };
      },
    );
    const done = judged.then((state) => {
      known = {
        state,
        since,
        at: ticks(),
        isMissing: state.isUntried && denial !== null && before > denial.firstAt,
      };
      running = null;
      tell(newest());
    });
    running = { since, done };
  };
  const isRecent = (): boolean => known !== null && ticks() - known.at < 2 * every;
  const silent = (): ServerState | null =>
    running && ticks() - running.since >= silence && traffic().succeededAt < running.since
      ? { ...fine, trouble: `no answer to a write for ${silence / 1000} s` }
      : null;
  const newest = (): ServerState => {
    const { succeededAt, failedAt, error } = traffic();
    const { state = fine, since = -Infinity, at = -Infinity, isMissing = false } = known ?? {};
    const isEnded = state.isUntried ? !isMissing && answeredAt() > at : succeededAt > at;
    const probed = state.trouble !== null && isEnded ? fine : state;
    if (failedAt > succeededAt && (probed.trouble === null || probed.isUntried)) {
      // Where no probe may be tried, nothing but another request would say that it is over.
      const isOver = probed.isUntried ? ticks() >= failedAt + every : since >= failedAt + quiet;
      return isOver ? probed : { ...fine, trouble: explain(error) };
    }
    return probed;
  };
  const tell = (state: ServerState): void => {
    if (state.trouble !== told) changed?.(state);
    told = state.trouble;
  };
  const isDue = (): boolean => {
    if (running) return false;
    const wait = denial ? everyWhenDenied : newest().trouble === null ? every : everyWhileFailing;
    return known === null || ticks() >= known.since + wait;
  };

  return async (): Promise<ServerState> => {
    if (isDue()) start();
    if (running && !silent() && traffic().succeededAt < running.since)
      await withTimeoutOrNull(isRecent() ? patience : running.since + silence - ticks(), running.done);
    const state = silent() ?? newest();
    tell(state);
    return state;
  };
};

const noTraffic = (): Outcomes => ({
  succeededAt: -Infinity,
  failedAt: -Infinity,
  answeredAt: -Infinity,
  error: undefined,
});

/** By how many milliseconds. The duration of the round trip counts in the server's favour. */
export const aheadBy = ({ asked, created, answered }: ServerTime): number =>
  created > answered ? created - answered : Math.min(0, created - asked);
