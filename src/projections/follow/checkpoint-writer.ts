import type { Position } from '../../eventstore/event-store.ts';

/**
 * Writes a worker's checkpoint in the background, one write at a time. Positions that are replaced by a newer one in
 * the meantime are not written.
 */
export type CheckpointWriter = {
  /** Null: the position does not change. `atEnd` says that everything in the log is before it. */
  moveTo(position: Position | null, atEnd: boolean): void;
  /**
   * Resolves once no write is running. Never rejects: a failure is passed to `failed`, and nothing is written after it.
   */
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
  /**
   * True until the writer has last checked for more to write: calls before that are picked up by it, and a later call
   * starts it again.
   */
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
