import type { Position } from '../../eventstore/event-store.ts';

/** Progress through the log, by positions. */
export type WayThroughLog = {
  readonly commit: string;
  /** The newest event of the log, or null where it is unknown. */
  readonly head: string | null;
  /** From 0 to 1; null where the head is not known. */
  readonly share: number | null;
  /** Positions per second since the start; in KurrentDB these are bytes of the log. */
  readonly perSecond: number;
  /** Null while unknown. */
  readonly secondsLeft: number | null;
};

export const wayThroughLog = (
  from: Position | null,
  at: Position | null,
  head: Position | null,
  seconds: number,
): WayThroughLog => {
  const [began, now] = [Number(from?.commit ?? 0), Number(at?.commit ?? 0)];
  const perSecond = Math.round(Math.max(0, now - began) / Math.max(seconds, 0.001));
  const left = head === null ? null : Math.max(0, Number(head.commit) - now);
  return {
    commit: String(at?.commit ?? 0),
    head: head === null ? null : String(head.commit),
    share: left === null ? null : Math.round((now / Math.max(1, now + left)) * 1000) / 1000,
    perSecond,
    secondsLeft: left !== null && perSecond > 0 ? Math.ceil(left / perSecond) : null,
  };
};

/**
 * Calls `tell` after `firstMs` and then every `everyMs`, one call after the other, until it is stopped. It must not
 * throw.
 */
export const tellAgainAndAgain = (
  tell: () => Promise<void> | void,
  { firstMs, everyMs }: { readonly firstMs: number; readonly everyMs: number },
): { readonly stop: () => void } => {
  let stopped = false;
  let timer: NodeJS.Timeout;
  const once = async () => {
    await tell();
    if (!stopped) begin(everyMs);
  };
  const begin = (ms: number) => {
    timer = setTimeout(() => void once(), ms).unref();
  };
  begin(firstMs);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
};
