import type { LogFn, Logger } from 'pino';
import { classifyFailure } from '../http/answers/failures.ts';

/** In milliseconds. */
const usualInterval = 10_000;
/** Different messages of one outage, and different errors of other kinds, that are written in full. */
const usualFirst = 8;
const info = 30;
const error = 50;

type Counted = { readonly checkpoint?: string; readonly alarm?: boolean; readonly err?: Error };
type Context = Readonly<Partial<Record<'err' | 'checkpoint' | 'status' | 'cause' | 'why', unknown>>>;

/**
 * While a server is away, every worker and request reports it: the first line of each message is written, then a count every ten seconds
 * with the newest errors. For other failures of a worker: of each message and error.
 */
export const makeLineGatherer = (everyMs = usualInterval, first = usualFirst) => {
  const written = { outage: new Set<string>(), other: new Set<string>() };
  const left = new Map<string, number>();
  const errors = new Map<string, string>();
  const checkpoints = new Set<string>();
  let highest = { level: 0, alarm: false };
  let timer: NodeJS.Timeout | null = null;

  const summarize = (logger: Logger): void => {
    const { level, alarm } = highest;
    const lines = Object.fromEntries(left);
    const context = {
      lines,
      ...(errors.size > 0 && { errors: Object.fromEntries(errors) }),
      ...(checkpoints.size > 0 && { checkpoints: [...checkpoints] }),
    };
    left.clear();
    errors.clear();
    checkpoints.clear();
    highest = { level: 0, alarm: false };
    const write = level >= error ? 'error' : level > info ? 'warn' : 'info';
    logger[write]({ ...context, ...(alarm && { alarm }) }, 'more lines of the same kind, only counted here');
  };
  const tick = (logger: Logger): void => {
    if (left.size > 0) return summarize(logger);
    clearInterval(timer ?? undefined);
    timer = null;
    written.outage.clear();
    written.other.clear();
  };
  return {
    hooks: {
      logMethod(this: Logger, line: Parameters<LogFn>, write: LogFn, level: number): void {
        const [context, message] = line as readonly unknown[];
        if (!isOfOutage(context, level) || typeof message !== 'string') return write.apply(this, line);
        timer ??= setInterval(tick, everyMs, this).unref();
        const { checkpoint, alarm, err } = context as Counted;
        const isOther = err !== undefined && classifyFailure(err) !== 'unavailable';
        const key = `${level} ${message} ${isOther ? err.message : ''}`;
        const before = written[isOther ? 'other' : 'outage'];
        if (!before.has(key) && before.size < first) {
          before.add(key);
          return write.apply(this, line);
        }
        left.set(message, (left.get(message) ?? 0) + 1);
        if (err !== undefined) errors.set(message, err.message);
        if (checkpoint !== undefined) checkpoints.add(checkpoint);
        highest = { level: Math.max(highest.level, level), alarm: highest.alarm || alarm === true };
      },
    },
    /** Writes what is only counted so far, at the end of the process. */
    flush: (logger: Logger): void => {
      if (left.size > 0) summarize(logger);
    },
  };
};

/** A retried failure, mostly of a server that is away, or a leadership that begins. What no worker retries is always written. */
const isOfOutage = (context: unknown, level: number): boolean => {
  if (typeof context !== 'object' || context === null) return false;
  const { err, checkpoint, status, cause, why } = context as Context;
  if (err !== undefined) return level < error || checkpoint !== undefined;
  if (level <= info) return status === 503 || checkpoint !== undefined;
  const isRetry = cause !== undefined || why !== undefined || checkpoint !== undefined;
  return level < error && (status === 503 || isRetry);
};
