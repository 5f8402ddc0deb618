import type { Writable } from 'node:stream';
import { duration } from '../import/progress-text.ts';
import { number } from '../projections/present.ts';

const everyMs = 5_000;

type Range = {
  readonly from: number;
  /** The end of the range, as far as known; otherwise 0. */
  readonly to: number;
};

/**
 * Prints a line every few seconds on standard error, until the returned function is called. Driven by a timer, so that it
 * also shows while a slow server is waited for.
 */
const repeatLine = (stderr: Writable, text: () => string, intervalMs: number) => {
  const timer = setInterval(() => void stderr.write(`${text()}\n`), intervalMs);
  return () => clearInterval(timer);
};

/** How far a check of the log is. */
export const showCheck = (stderr: Writable, { from, to }: Range, intervalMs = everyMs) => {
  const began = performance.now();
  let events = 0;
  const text = () => checkText({ events, from, to, ms: performance.now() - began });
  return { passed: () => void events++, end: repeatLine(stderr, text, intervalMs) };
};

/** The same for events that are read in the order of the log, when it is not known how many there are. */
export const showEventsRead = (stderr: Writable, intervalMs = everyMs) => {
  let events = 0;
  let upTo = 0;
  const text = () =>
    `${number.format(events)} events read${events === 0 ? '' : `, up to ${new Date(upTo).toISOString()}`}`;
  return {
    passed: ({ created }: { readonly created: number }) => {
      events += 1;
      upTo = created;
    },
    end: repeatLine(stderr, text, intervalMs),
  };
};

export const checkText = ({
  events,
  from,
  to,
  ms,
}: Range & { readonly events: number; readonly ms: number }): string => {
  const rate = (events * 1000) / Math.max(1, ms);
  const left = to - from - events;
  const time = left > 0 && rate > 0 ? `, ${duration(left / rate)} to go` : '';
  return `${number.format(from + events)} of ${number.format(Math.max(to, from + events))} events checked, ${number.format(Math.round(rate))}/s${time}`;
};
