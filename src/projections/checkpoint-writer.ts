import type { Position } from '../eventstore/event-store.ts';

/** Writes how far a worker has come beside its work, one write at a time; what it skips over meanwhile is never written. */
export type CheckpointWriter = {
  /** Null: no further than before. `atEnd` says that everything that was in the log lies before. */
  moveTo(position: Position | null, atEnd: boolean): void;
  /** Resolves once nothing is being written. Never rejects: a failure is told to `failed`, and nothing is written after it. */
  settled(): Promise<void>;
};

export type CheckpointWriterDependencies = {
  readonly start: Position | null;
  readonly write: (from: Position | null, to: Position) => Promise<void>;
  readonly wrote: (position: Position | null, atEnd: boolean) => void;
  readonly failed: (error: unknown) => void;
};

export const makeCheckpointWriter = ({
  start,
  write,
  wrote,
  failed,
}: CheckpointWriterDependencies): CheckpointWriter => {
  let written = start;
  let wanted = start;
  let atEnd = false;
  /** Until the last look at what is wanted: whoever says more before that is heard, and whoever comes later begins anew. */
  let busy = false;
  let writing = Promise.resolve();
  let broken = false;

  const writeWanted = async (): Promise<void> => {
    try {
      do {
        const to = wanted;
        const [from, saysEnd] = [written, atEnd];
        atEnd = false;
        if (to !== null && to !== from) await write(from, to);
        written = to;
        wrote(to, saysEnd);
      } while (wanted !== written || atEnd);
    } catch (error) {
      broken = true;
      failed(error);
    } finally {
      busy = false;
    }
  };
  return {
    moveTo(position, isEnd) {
      if (broken) return;
      wanted = position ?? wanted;
      atEnd ||= isEnd;
      if (busy) return;
      busy = true;
      writing = writeWanted();
    },
    async settled() {
      while (busy) await writing;
    },
  };
};
