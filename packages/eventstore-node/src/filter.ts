import type { Stored } from './record.ts';
import type { FilterOptions } from './stubs.ts';

/** A server-side filter of `$all`. */
export type Filter = {
  readonly matches: (event: Stored) => boolean;
  /** How many events a page of the search may look at. */
  readonly window: number;
  /** Checkpoints come after this many considered events. */
  readonly interval: number;
};

const defaultWindow = 32;

/** Undefined for what the server cannot take: an unset oneof, a bad pattern, zero. A read does without the multiplier. */
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
