import type { ImportProgress } from './run-import.ts';
import type { Speed } from './speed.ts';

export type Shown = ImportProgress & { readonly speed: Speed; readonly totalBytes: number | null };

const number = new Intl.NumberFormat('en');

/** One line about the progress of an import; most important first, because terminals may cut it off. */
export const progressText = (shown: Shown): string => {
  const { counts, speed } = shown;
  const parts = [
    `${number.format(counts.lines)} lines`,
    `${number.format(Math.round(speed.linesPerSecond))}/s`,
    ...timeLeft(shown),
    ...countsSoFar(counts),
  ];
  return parts.join(', ');
};

/** All counts, zeros included, for the summary. */
export const countsText = ({ added, changed, removed, unchanged, refused }: ImportProgress['counts']) =>
  `${number.format(added)} added, ${number.format(changed)} changed, ${number.format(removed)} removed, ` +
  `${number.format(unchanged)} unchanged, ${number.format(refused)} refused`;

/** Without zeros, so that the last one, refused lines, fits on a terminal of 80 columns. */
const countsSoFar = (counts: ImportProgress['counts']): readonly string[] =>
  outcomes.flatMap((name) => (counts[name] === 0 ? [] : [`${number.format(counts[name])} ${name}`]));

const outcomes = ['added', 'changed', 'removed', 'unchanged', 'refused'] as const;

/** From 0 to 1; null while the total is unknown. */
export const shareOf = ({ bytes, totalBytes }: Shown): number | null => {
  if (totalBytes === null) return null;
  return totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes);
};

const timeLeft = ({ bytes, totalBytes, speed }: Shown): readonly string[] => {
  if (totalBytes === null || speed.bytesPerSecond <= 0) return [];
  return [`${duration(Math.max(0, totalBytes - bytes) / speed.bytesPerSecond)} to go`];
};

export const duration = (seconds: number): string => {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** Shown after all lines were read, while the lists catch up. */
export const waitingText = 'everything is stored, waiting for the lists to show it';

const widestBar = 30;
const narrowestBar = 8;

/**
 * Percentage and bar, never wider than the terminal. Without the number of lines, which is the sum of the counts. The
 * bar shrinks to make room for the text.
 */
export const barText = (shown: Shown, width: number): string => {
  const share = shareOf(shown);
  if (share === null) return progressText(shown).slice(0, width);
  const { counts, speed } = shown;
  const perSecond = `${number.format(Math.round(speed.linesPerSecond))} lines/s`;
  return withBar(share, [perSecond, ...timeLeft(shown), ...countsSoFar(counts)].join(', '), width);
};

export const withBar = (share: number, text: string, width: number): string => {
  const percent = percentOf(share).padStart(4);
  const room = width - `${percent} [] ${text}`.length;
  const barWidth = Math.min(widestBar, Math.floor(width / 4), Math.max(narrowestBar, room));
  const filled = Math.round(share * barWidth);
  const bar = `${'='.repeat(filled)}${'-'.repeat(barWidth - filled)}`;
  return `${percent} [${bar}] ${text}`.slice(0, width);
};

/** The percentage without a bar, for lines that stay. */
export const lineText = (share: number | null, text: string): string =>
  share === null ? text : `${percentOf(share)}, ${text}`;

const percentOf = (share: number): string => `${Math.floor(share * 100)}%`;
