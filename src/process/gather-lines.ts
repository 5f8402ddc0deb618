import type { LogFn, Logger } from 'pino';
import { classifyFailure } from '../http/answers/failures.ts';

/** In milliseconds. */
const usualInterval = 10_000;
/** Different messages of one outage that are written in full. */
const usualFirst = 8;
const info = 30;
const error = 50;

type Context = Readonly<Partial<Record<'err' | 'checkpoint' | 'status' | 'cause' | 'why', unknown>>>;

/**
 * While a server is away, every worker and every request reports it, again and again. Of these lines the first of each
 * message is written; the others are counted, and one line every ten seconds says how many there were.
 */
export const makeLineGatherer = (everyMs = usualInterval, first = usualFirst) => {
  const written = new Set<string>();
  const left = new Map<string, number>();
  const checkpoints = new Set<string>();
  let highest = { level: 0, alarm: false };
  let timer: NodeJS.Timeout | null = null;

  const summarize = (logger: Logger): void => {
    const { level, alarm } = highest;
    const lines = Object.fromEntries(left);
    const context = { lines, ...(checkpoints.size > 0 && { checkpoints: [...checkpoints] }) };
    left.clear();
    checkpoints.clear();
    highest = { level: 0, alarm: false };
    const write = level >= error ? 'error' : level > info ? 'warn' : 'info';
    logger[write]({ ...context, ...(alarm && { alarm }) }, 'more lines of the same kind, only counted here');
  };
  const tick = (logger: Logger): void => {
    if (left.size > 0) return summarize(logger);
    clearInterval(timer ?? undefined);
    timer = null;
    written.clear();
  };
  return {
    /** Of pino. */
    hooks: {
      logMethod(this: Logger, line: Parameters<LogFn>, write: LogFn, level: number): void {
        const [context, message] = line as readonly unknown[];
        if (!isOfOutage(context, level) || typeof message !== 'string') return write.apply(this, line);
        timer ??= setInterval(tick, everyMs, this).unref();
        const key = `${level} ${message}`;
        if (!written.has(key) && written.size < first) {
          written.add(key);
          return write.apply(this, line);
        }
        left.set(message, (left.get(message) ?? 0) + 1);
        const { checkpoint, alarm } = context as { readonly checkpoint?: string; readonly alarm?: boolean };
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

/**
 * A failure because a server is away, a retry of the event store's gateway, a request that was told to come back, or a
 * leadership that begins. An error that no worker retries is written in any case.
 */
const isOfOutage = (context: unknown, level: number): boolean => {
  if (typeof context !== 'object' || context === null) return false;
  const { err, checkpoint, status, cause, why } = context as Context;
  if (err !== undefined)
    return classifyFailure(err) === 'unavailable' && (level < error || checkpoint !== undefined);
  if (level <= info) return status === 503 || checkpoint !== undefined;
  const isRetry = cause !== undefined || why !== undefined || checkpoint !== undefined;
  return level < error && (status === 503 || isRetry);
};
