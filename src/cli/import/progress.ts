import type { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';

export type Progress = { readonly lines: number; readonly bytes: number };

/** Shows how far an import is, on standard error: a bar on a terminal, a line every few seconds elsewhere. */
export const showProgress = (stderr: Writable & { readonly isTTY?: boolean }, totalBytes: number | null) =>
  stderr.isTTY === true && totalBytes !== null ? showBar(stderr, totalBytes) : showLines(stderr, totalBytes);

const showBar = (stderr: Writable, totalBytes: number) => {
  const bar = new SingleBar({
    stream: stderr as NodeJS.WritableStream,
    format: '{bar} {percentage}% | {lines} lines | {duration_formatted}, {eta_formatted} to go',
    hideCursor: true,
    clearOnComplete: true,
  });
  bar.start(totalBytes, 0, { lines: 0 });
  return {
    update: ({ lines, bytes }: Progress) => bar.update(bytes, { lines }),
    note: (text: string) => void stderr.write(`\n${text}\n`),
    end: () => bar.stop(),
  };
};

const everyMs = 5000;

const showLines = (stderr: Writable, totalBytes: number | null) => {
  let shownAt = performance.now();
  return {
    update: ({ lines, bytes }: Progress) => {
      const now = performance.now();
      if (now - shownAt < everyMs) return;
      shownAt = now;
      const percent = totalBytes === null ? '' : ` (${Math.floor((bytes / Math.max(totalBytes, 1)) * 100)}%)`;
      stderr.write(`${lines} lines read${percent}\n`);
    },
    note: (text: string) => void stderr.write(`${text}\n`),
    end: () => undefined,
  };
};
