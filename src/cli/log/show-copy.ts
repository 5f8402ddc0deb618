import type { Writable } from 'node:stream';
import type { CopyProgress } from '@grantbook/log-copy';
import { duration, withBar } from '../import/progress-text.ts';
import { makeSpeed } from '../import/speed.ts';
import { number } from '../projections/present.ts';
import { showLines } from '../projections/show-progress.ts';

const doing = {
  compare: 'compared with what is there already',
  copy: 'copied',
  verify: 'compared with the copy',
} as const;

/** Shows the progress of a copy on standard error. */
export const showCopy = (stderr: Writable & { readonly isTTY?: boolean }) => {
  const lines = showLines(stderr, () => 'reading the log');
  let step: CopyProgress['step'] | null = null;
  let speed = makeSpeed({ at: performance.now(), lines: 0, bytes: 0 });
  return {
    planning: (events: number) =>
      lines.show((width) => `${number.format(events)} events read`.slice(0, width)),
    update(now: CopyProgress, total: number) {
      if (now.step !== step) speed = makeSpeed({ at: performance.now(), lines: now.done, bytes: 0 });
      step = now.step;
      const perSecond = speed({ at: performance.now(), lines: now.done, bytes: 0 }).linesPerSecond;
      const left = perSecond > 0 ? `, ${duration((total - now.done) / perSecond)} to go` : '';
      const text = `${number.format(now.done)} of ${number.format(total)} events ${doing[now.step]}, ${number.format(Math.round(perSecond))}/s${left}`;
      lines.show((width) => withBar(total === 0 ? 1 : now.done / total, text, width));
    },
    end: () => lines.end(),
  };
};
