import { comparePositions, type Position } from '../../eventstore/event-store.ts';
import {
  checkpointOf,
  liveReadModels,
  PROGRESS_CHANNEL,
  readCheckpoint,
  readComplete,
  type CheckpointRow,
} from './checkpoint.ts';
import type { DatabaseGeneration } from '../database/database-generation.ts';
import type { Listener } from '../database/listener.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';

/** The position of the read models, known on every instance by LISTEN/NOTIFY. */
export type ReadProgress = {
  checkpoint(): Promise<Position | null>;
  /** Whether they have ever applied the whole log; false during the first build or a new one. */
  complete(): Promise<boolean>;
  /** Whether they have applied everything up to `position`; false after `timeoutMs`, or once `signal` is aborted. */
  waitFor(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  close(): void;
};

export type ReadProgressDependencies = {
  readonly listener: Pick<Listener, 'on'>;
  readonly reader: PipelinedReader;
  /** Name of the checkpoint. */
  readonly name?: string;
  /** To report that the checkpoint went back, and to notice that the known position is of another database. */
  readonly database?: DatabaseGeneration;
};

/**
 * Waiting callers are notified by the next notification, by the read of the checkpoint after each new connection, or by a last read when the time is up.
 */
export const watchProgress = (dependencies: ReadProgressDependencies): ReadProgress => {
  const { listener, reader, name = liveReadModels, database } = dependencies;
  const waiters = makeWaiters();
  const stopForgetting = database?.onChange(() => waiters.forget());
  const checkpoint = async () => checkpointOf(await reader.query<CheckpointRow>(readCheckpoint, [name]));
  const stopListening = listener.on(PROGRESS_CHANNEL, {
    heard: (payload) => {
      const position = parse(payload, name);
      if (position) waiters.learn(position);
    },
    connected: async () => {
      const known = waiters.known(); // all of it was committed before the checkpoint is read now
      const generation = database?.current();
      const position = await checkpoint();
      if (generation !== database?.current()) return; // of another database
      if (known && !reached(position, known)) database?.wentBack();
      waiters.learn(position);
    },
  });
  return {
    checkpoint,
    async complete() {
      const [row] = await reader.query<{ readonly complete: boolean }>(readComplete, [name]);
      return row?.complete ?? false;
    },
    async waitFor(position, timeoutMs, signal) {
      if (await waiters.wait(position, timeoutMs, signal)) return true;
      if (signal?.aborted) return false;
      return reached(await checkpoint().catch(() => null), position);
    },
    close() {
      stopForgetting?.();
      stopListening();
      waiters.release();
    },
  };
};

/** The waiting callers by position, and the known position. */
const makeWaiters = () => {
  let known: Position | null = null;
  const waiting = new Map<() => void, Position>();
  return {
    known: () => known,
    forget() {
      known = null;
    },
    learn(position: Position | null) {
      known = position;
      for (const [wake, wanted] of waiting) if (reached(known, wanted)) wake();
    },
    async wait(wanted: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
      if (reached(known, wanted)) return true;
      if (signal?.aborted) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => wake(), timeoutMs);
        const wake = () => {
          clearTimeout(timer);
          waiting.delete(wake);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        signal?.addEventListener('abort', wake);
        waiting.set(wake, wanted);
      });
      return reached(known, wanted);
    },
    release() {
      for (const wake of waiting.keys()) wake();
    },
  };
};

const reached = (known: Position | null, wanted: Position): boolean =>
  known !== null && comparePositions(known, wanted) >= 0;

const parse = (payload: string, name: string): Position | null => {
  const [of, commit, prepare] = payload.split(' ');
  return of === name && commit && prepare ? { commit: BigInt(commit), prepare: BigInt(prepare) } : null;
};
