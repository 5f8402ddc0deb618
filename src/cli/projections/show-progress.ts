import type { Writable } from 'node:stream';
import type { RebuildProgress } from '../../projections/rebuild/progress-meter.ts';
import { duration, withBar } from '../import/progress-text.ts';
import { number } from './present.ts';

type Terminal = Writable & { readonly isTTY?: boolean; readonly columns?: number };

const everyMs = 5_000;
const eraseLine = '\u001b[K';

type Line = (width: number) => string;

/** On a terminal one line that changes, elsewhere a line every few seconds, even without news (OP-08). */
export const showLines = (stderr: Terminal, newest: Line) => {
  const isTerminal = stderr.isTTY === true;
  let isShown = false;
  const write = () => {
    isShown = true;
    stderr.write(isTerminal ? `\r${newest((stderr.columns ?? 80) - 1)}${eraseLine}` : `${newest(200)}\n`);
  };
  const timer = setInterval(write, everyMs).unref();
  return {
    show(line: Line) {
      newest = line;
      if (isTerminal || !isShown) write();
    },
    end() {
      clearInterval(timer);
      if (isTerminal && isShown) stderr.write(`\r${eraseLine}`);
    },
  };
};

export const showRebuild = (stderr: Terminal) => {
  const lines = showLines(stderr, () => 'nothing is written yet');
  return {
    update: ({ events, eventsPerSecond, share, secondsLeft }: RebuildProgress) => {
      const left = share >= 1 ? ', making indexes' : timeLeft(secondsLeft);
      const text = `${number.format(events)} events, ${number.format(eventsPerSecond)}/s${left}`;
      lines.show((width) => withBar(share, text, width));
    },
    end: () => lines.end(),
  };
};

const timeLeft = (seconds: number | null): string => (seconds === null ? '' : `, ${duration(seconds)} to go`);

export const showVerify = (stderr: Terminal) => {
  const lines = showLines(stderr, () => 'nothing is compared yet');
  return {
    update: (table: string, rows: number) =>
      lines.show((width) => `${table}: ${number.format(rows)} rows compared`.slice(0, width)),
    end: () => lines.end(),
  };
};
