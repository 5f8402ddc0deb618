import { printableValue, rawStream } from './printable.ts';
import type { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';
import { number } from './answer.ts';

export type Progress = {
  /** From 0 to 1; null while the end is unknown. */
  readonly share: number | null;
  /** Most important first, because terminals may cut it off. */
  readonly text: string;
  readonly brief?: string;
};

export type ProgressDisplay = {
  /** The first news is shown at once. */
  readonly news: () => void;
  readonly note: (text: string) => void;
  readonly end: () => void;
};

type Terminal = Writable & { readonly isTTY?: boolean };
type Now = () => Progress | null;

/** Shows progress on standard error: on a terminal a bar, elsewhere a line every five seconds (OP-08), by a timer, also while a server is slow. */
export const showProgress = (stderr: Terminal, now: Now, firstMs = everyMs): ProgressDisplay =>
  stderr.isTTY === true ? showBar(stderr, now) : showLines(stderr, now, firstMs);

const showBar = (stderr: Terminal, now: Now): ProgressDisplay => {
  const bar = new SingleBar({
    stream: rawStream(stderr) as NodeJS.WritableStream,
    // The last column stays free, because some terminals would begin a new line.
    format: (_options, { maxWidth }: { maxWidth?: number }) => {
      const progress = now();
      return progress === null ? '' : printableValue(barText(progress, (maxWidth ?? 80) - 1));
    },
    fps: 10,
    synchronousUpdate: false,
    // The line fits, so the display changes no terminal setting that a second Ctrl-C would leave behind.
    linewrap: true,
    clearOnComplete: true,
  });
  bar.start(1, 0);
  return {
    news: () => undefined,
    note: (text) => {
      rawStream(stderr).write(`\r${eraseLine}`);
      stderr.write(`${text}\n`);
    },
    end: () => bar.stop(),
  };
};

const eraseLine = '\u001b[K';
const everyMs = 5000;

const showLines = (stderr: Terminal, now: Now, firstMs: number): ProgressDisplay => {
  let isShown = false;
  const show = () => {
    const progress = now();
    if (progress === null) return;
    isShown = true;
    stderr.write(`${lineText(progress)}\n`);
  };
  const again = () => {
    timer = setTimeout(again, everyMs).unref();
    show();
  };
  let timer = setTimeout(again, firstMs).unref();
  return {
    news: () => void (isShown || show()),
    note: (text) => void stderr.write(`${text}\n`),
    end: () => clearTimeout(timer),
  };
};

const widestBar = 30;
const narrowestBar = 8;

/** Percentage and bar, never wider than the terminal. The bar shrinks to make room for the text. */
export const barText = ({ share, text, brief = text }: Progress, width: number): string => {
  if (share === null) return text.slice(0, width);
  const percent = percentOf(share).padStart(4);
  const room = width - `${percent} [] ${brief}`.length;
  const barWidth = Math.min(widestBar, Math.floor(width / 4), Math.max(narrowestBar, room));
  const filled = Math.round(share * barWidth);
  return `${percent} [${'='.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${brief}`.slice(0, width);
};

/** The percentage without a bar, for lines that stay. */
const lineText = ({ share, text }: Progress): string =>
  share === null ? text : `${percentOf(share)}, ${text}`;

const percentOf = (share: number): string => `${Math.floor(share * 100)}%`;

/** Such as `5,432/s, 1 min 16 s to go`. */
export const paceText = (perSecond: number, secondsLeft: number | null, what = ''): string =>
  `${number.format(Math.round(perSecond))}${what}/s${secondsLeft === null ? '' : `, ${duration(secondsLeft)} to go`}`;

export const duration = (seconds: number): string => {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

const windowMs = 10_000;
/** In milliseconds: the minimum distance between samples. */
const apartMs = 500;

export type Pace = { readonly perSecond: number; readonly secondsLeft: number | null };

/** The speed over the last ten seconds only, because what is already known goes faster than what is new. */
export const makeMeter = (before = 0) => {
  let samples = [{ at: performance.now(), done: before }];
  return (done: number, total: number | null = null): Pace => {
    const at = performance.now();
    const recent = samples.filter((sample) => sample.at > at - windowMs);
    const newest = samples.at(-1);
    const oldest = recent[0] ?? newest ?? { at, done };
    samples = newest === undefined || at - newest.at >= apartMs ? [...recent, { at, done }] : recent;
    const seconds = (at - oldest.at) / 1000;
    const perSecond = seconds > 0 ? (done - oldest.done) / seconds : 0;
    const left = total === null ? 0 : total - done;
    return { perSecond, secondsLeft: left > 0 && perSecond > 0 ? left / perSecond : null };
  };
};

/** For events that are read in the order of the log, when it is not known how many there are. */
export const showEventsRead = (stderr: Terminal) => {
  let [events, upTo] = [0, 0];
  const { end } = showProgress(stderr, () => {
    const until = events === 0 ? '' : `, up to ${new Date(upTo).toISOString()}`;
    return { share: null, text: `${number.format(events)} events read${until}` };
  });
  return {
    passed: ({ created }: { readonly created: number }) => {
      events += 1;
      upTo = created;
    },
    end,
  };
};

export const counted = (
  what: string,
  done: number,
  total: number,
  { perSecond, secondsLeft }: Pace,
): Progress => ({
  share: total === 0 ? 1 : Math.min(1, done / total),
  text: `${number.format(done)} of ${number.format(total)} ${what}, ${paceText(perSecond, secondsLeft)}`,
});
