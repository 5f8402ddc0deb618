import type { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';
import { barText, lineText, progressText, shareOf, waitingText, withBar } from './progress-text.ts';
import type { ImportProgress } from './run-import.ts';
import { makeSpeed } from './speed.ts';

type Terminal = Writable & { readonly isTTY?: boolean };

export type ProgressDisplay = {
  readonly update: (progress: ImportProgress) => void;
  /** All lines are stored; this share of them is visible in the lists. */
  readonly waits: (share: number) => void;
  /** Prints a line that stays. */
  readonly note: (text: string) => void;
  readonly end: () => void;
};

/**
 * Shows the progress of an import on standard error: on a terminal a bar, redrawn at most ten times a second; elsewhere
 * a line every few seconds. Driven by a timer, so that it also moves while a slow server is waited for.
 */
export const showProgress = (stderr: Terminal, totalBytes: number | null): ProgressDisplay => {
  let latest: ImportProgress | null = null;
  let waitedFor: number | null = null;
  const speedAt = makeSpeed({ at: performance.now(), lines: 0, bytes: 0 });
  const shown = (): Line | null => {
    const share = waitedFor;
    if (share !== null)
      return { line: lineText(share, waitingText), bar: (width) => withBar(share, waitingText, width) };
    if (latest === null) return null;
    const { bytes, counts } = latest;
    const speed = speedAt({ at: performance.now(), lines: counts.lines, bytes });
    const now = { ...latest, speed, totalBytes };
    return { line: lineText(shareOf(now), progressText(now)), bar: (width) => barText(now, width) };
  };
  const display = stderr.isTTY === true ? showBar(stderr, shown) : showLines(stderr, shown);
  return {
    ...display,
    update: (progress) => void (latest = progress),
    waits: (share) => void (waitedFor = share),
  };
};

type Line = { readonly line: string; readonly bar: (width: number) => string };
type Shows = () => Line | null;
type Display = Pick<ProgressDisplay, 'note' | 'end'>;

const showBar = (stderr: Terminal, shown: Shows): Display => {
  const bar = new SingleBar({
    stream: stderr as NodeJS.WritableStream,
    // Our own timer draws it; the last column stays free, because some terminals would begin a new line.
    format: (_options, { maxWidth }: { maxWidth?: number }) => {
      const now = shown();
      return now === null ? '' : now.bar((maxWidth ?? 80) - 1);
    },
    fps: 10,
    synchronousUpdate: false,
    // The line fits, so the display changes no terminal setting that a second Ctrl-C would leave behind.
    linewrap: true,
    clearOnComplete: true,
  });
  bar.start(1, 0);
  return {
    note: (text) => void stderr.write(`\r${eraseLine}${text}\n`),
    end: () => bar.stop(),
  };
};

const eraseLine = '\u001b[K';
const firstAfterMs = 1000;
const everyMs = 5000;

const showLines = (stderr: Terminal, shown: Shows): Display => {
  const show = () => {
    timer = setTimeout(show, everyMs);
    const now = shown();
    if (now !== null) stderr.write(`${now.line}\n`);
  };
  let timer = setTimeout(show, firstAfterMs);
  return {
    note: (text) => void stderr.write(`${text}\n`),
    end: () => clearTimeout(timer),
  };
};
