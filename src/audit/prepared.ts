import { LRUCache } from 'lru-cache';
import { NoAnswer, withTimeout } from '../common/with-timeout.ts';
import type { Passed } from './exposure/exposure.ts';

/** How far a result is: how many events were read, and up to which time of the log (null: none yet). */
export type Preparing = { readonly events: number; readonly upTo: number | null };

export type Prepared<T> =
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'preparing'; readonly progress: Preparing }
  /** As many results as may be prepared at once are being prepared. */
  | { readonly state: 'busy' };

type Job<T> = {
  readonly result: Promise<T>;
  readonly stopping: AbortController;
  readonly progress: () => Preparing;
  isDone: boolean;
};

export type PreparedResults<T> = ReturnType<typeof makePrepared<T>>;

export type PreparedBounds = {
  readonly waitMs: number;
  readonly most: number;
  /** A result that nobody asks for is given up after that time. */
  readonly keepMs: number;
};

const usual: PreparedBounds = { waitMs: 3_000, most: 4, keepMs: 120_000 };

/** Results that may take longer than a request: whoever asks again gets the result once, or how far it is. Kept in memory, per instance. */
export const makePrepared = <T>({ waitMs, most, keepMs }: PreparedBounds = usual) => {
  const jobs = new LRUCache<string, Job<T>>({
    max: 100,
    ttl: keepMs,
    updateAgeOnGet: true,
    ttlAutopurge: true,
    dispose: ({ stopping }) => stopping.abort(),
  });
  const running = (): number => [...jobs.values()].filter(({ isDone }) => !isDone).length;
  const begin = (key: string, start: Start<T>): Job<T> => {
    const stopping = new AbortController();
    let progress: Preparing = { events: 0, upTo: null };
    const result = start(stopping.signal, ({ created }) => {
      progress = { events: progress.events + 1, upTo: created };
    });
    const job: Job<T> = { result, stopping, progress: () => progress, isDone: false };
    jobs.set(key, job);
    result.then(
      () => void (job.isDone = true),
      () => {
        job.isDone = true;
        if (jobs.peek(key) === job) jobs.delete(key); // whoever asks next begins anew
      },
    );
    return job;
  };
  return {
    /** @throws what `start` throws */
    async ask(key: string, start: Start<T>): Promise<Prepared<T>> {
      const known = jobs.get(key);
      if (!known && running() >= most) return { state: 'busy' };
      const job = known ?? begin(key, start);
      try {
        const value = await withTimeout(waitMs, job.result);
        if (jobs.peek(key) === job) jobs.delete(key);
        return { state: 'ready', value };
      } catch (error) {
        if (error instanceof NoAnswer && !job.isDone) return { state: 'preparing', progress: job.progress() };
        throw error;
      }
    },
    close: (): void => jobs.clear(),
  };
};

type Start<T> = (signal: AbortSignal, passed: Passed) => Promise<T>;
