import { number } from '../base/answer.ts';
import { makeMeter, paceText, type Pace, type Progress, showProgress } from '../base/progress.ts';
import type { ImportProgress } from '../../kafka/import/run-import.ts';

export const showImport = (stderr: Parameters<typeof showProgress>[0], totalBytes: number | null) => {
  let latest: ImportProgress | null = null;
  let isWaiting = false;
  let waitedFor: number | null = null;
  const [lines, bytes] = [makeMeter(), makeMeter()];
  const { note, end } = showProgress(
    stderr,
    () => {
      if (isWaiting) return { share: waitedFor, text: waitingText };
      if (latest === null) return null;
      const { perSecond } = lines(latest.counts.lines);
      const { secondsLeft } = bytes(latest.bytes, totalBytes);
      return importText({ ...latest, totalBytes, pace: { perSecond, secondsLeft } });
    },
    1000,
  );
  return {
    update: (progress: ImportProgress) => void (latest = progress),
    /** What was counted is stored; this share of it is visible in the lists, null where that is unknown. */
    waits: (share: number | null) => {
      isWaiting = true;
      waitedFor = share;
    },
    note,
    end,
  };
};

const waitingText = 'waiting for the lists to show what is stored';

export type Shown = Pick<ImportProgress, 'bytes' | 'counts'> & {
  readonly totalBytes: number | null;
  readonly pace: Pace;
};

/** Next to a bar, without the number of lines, which is the sum of the counts. */
export const importText = ({ bytes, counts, totalBytes, pace }: Shown): Progress => {
  const { perSecond, secondsLeft } = pace;
  const soFar = outcomes.map((name) =>
    counts[name] === 0 ? '' : `, ${number.format(counts[name])} ${name}`,
  );
  return {
    share: totalBytes === null ? null : totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes),
    text: `${number.format(counts.lines)} lines, ${paceText(perSecond, secondsLeft)}${soFar.join('')}`,
    brief: `${paceText(perSecond, secondsLeft, ' lines')}${soFar.join('')}`,
  };
};

/** Without zeros, so that the last one, refused lines, fits on a terminal of 80 columns. */
const outcomes = ['added', 'changed', 'removed', 'unchanged', 'refused'] as const;

/** All counts, zeros included, for the summary. */
export const countsText = (counts: ImportProgress['counts']): string =>
  outcomes.map((name) => `${number.format(counts[name])} ${name}`).join(', ');
