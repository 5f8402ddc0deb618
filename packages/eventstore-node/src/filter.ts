import type { Stored } from './record.ts';
import type { FilterOptions } from './stubs.ts';

/** A server-side filter of `$all`. */
export type Filter = {
  readonly matches: (event: Stored) => boolean;
  /** The maximum number of events that a search page considers. */
  readonly window: number;
  /** A checkpoint is sent after this many considered events. */
  readonly interval: number;
};

const defaultWindow = 32;

/**
 * Undefined for options that the server rejects: an unset oneof, an invalid pattern, zero. Reads do not need the
 * multiplier.
 */
export const parseFilter = (options: FilterOptions, isSubscription: boolean): Filter | undefined => {
  const expression = options.getStreamIdentifier() ?? options.getEventType();
  const window = options.hasMax() ? options.getMax() : options.hasCount() ? defaultWindow : 0;
  const multiplier = options.getCheckpointintervalmultiplier();
  if (!expression || window < 1 || (isSubscription && multiplier < 1)) return undefined;
  const test = makeTest(expression.getRegex(), expression.getPrefixList());
  if (!test) return undefined;
  const matches = options.hasStreamIdentifier()
    ? ({ stream }: Stored) => test(stream)
    : ({ type }: Stored) => test(type);
  return { matches, window, interval: window * multiplier };
};

const makeTest = (regex: string, prefixes: readonly string[]): ((text: string) => boolean) | undefined => {
  if (regex === '') return (text) => prefixes.some((prefix) => text.startsWith(prefix));
  try {
    const pattern = new RegExp(regex);
    return (text) => pattern.test(text);
  } catch {
    return undefined;
  }
};
