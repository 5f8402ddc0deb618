import type { Writable } from 'node:stream';
import type { RebuildProgress } from '../../projections/rebuild/progress-meter.ts';
import { duration, withBar } from '../import/progress-text.ts';
import { number } from './present.ts';

type Terminal = Writable & { readonly isTTY?: boolean; readonly columns?: number };

const everyMs = 5_000;
const eraseLine = '\u001b[K';

/** On a terminal one line that changes, elsewhere a line every few seconds. */
const showLines = (stderr: Terminal) => {
  let last = -Infinity;
  let open = false;
  return {
    show(line: (width: number) => string) {
      const now = performance.now();
      if (stderr.isTTY === true) {
        open = true;
        stderr.write(`\r${line((stderr.columns ?? 80) - 1)}${eraseLine}`);
      } else if (now - last >= everyMs) {
        last = now;
        stderr.write(`${line(200)}\n`);
      }
    },
    end() {
      if (open) stderr.write(`\r${eraseLine}`);
    },
  };
};

export const showRebuild = (stderr: Terminal) => {
  const lines = showLines(stderr);
  return {
    update: ({ events, eventsPerSecond, share, secondsLeft }: RebuildProgress) => {
      const left = secondsLeft === null ? '' : `, ${duration(secondsLeft)} to go`;
      const text = `${number.format(events)} events, ${number.format(eventsPerSecond)}/s${left}`;
      lines.show((width) => withBar(share, text, width));
    },
    end: () => lines.end(),
  };
};

export const showVerify = (stderr: Terminal) => {
  const lines = showLines(stderr);
  return {
    update: (table: string, rows: number) =>
      lines.show((width) => `${table}: ${number.format(rows)} rows compared`.slice(0, width)),
    end: () => lines.end(),
  };
};
