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
  /** Who had it begun. */
  readonly by: string;
  /** Who asked for it, and whether that is noted. */
  readonly askers: Map<string, Promise<void>>;
  readonly stopping: AbortController;
  /** Begins anew whenever somebody asks: a cache's own clock would not look again after it did once. */
  readonly givingUp: NodeJS.Timeout;
  readonly progress: () => Preparing;
  isDone: boolean;
};

export type PreparedResults<T> = ReturnType<typeof makePrepared<T>>;

export type PreparedBounds = {
  readonly waitMs: number;
  readonly most: number;
  /** The most that are being prepared for one who asks. */
  readonly mostForOne: number;
  /** What nobody has asked for during that time is given up, or forgotten. */
  readonly keepMs: number;
};

const usual: PreparedBounds = { waitMs: 3_000, most: 4, mostForOne: 2, keepMs: 60_000 };

/**
 * Results that may take longer than a request: all who ask the same get the one result, or how far it is. Kept in memory, per instance.
 */
export const makePrepared = <T>({ waitMs, most, mostForOne, keepMs }: PreparedBounds = usual) => {
  const jobs = new LRUCache<string, Job<T>>({
    max: 100,
    dispose: ({ stopping, givingUp }) => {
      clearTimeout(givingUp);
      stopping.abort();
    },
  });
  const running = () => [...jobs.values()].filter(({ isDone }) => !isDone);
  const isFull = (by: string): boolean => {
    const all = running();
    return all.length >= most || all.filter((job) => job.by === by).length >= mostForOne;
  };
  const begin = (key: string, by: string, start: Start<T>): Job<T> => {
    const stopping = new AbortController();
    let progress: Preparing = { events: 0, upTo: null };
    const result = start(stopping.signal, ({ created }) => {
      progress = { events: progress.events + 1, upTo: created };
    });
    const givingUp = setTimeout(() => jobs.delete(key), keepMs).unref();
    const job: Job<T> = {
      result,
      by,
      askers: new Map(),
      stopping,
      givingUp,
      progress: () => progress,
      isDone: false,
    };
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
    /** @throws what `start` and `note` throw */
    async ask({ key, by, note }: Asked, start: Start<T>): Promise<Prepared<T>> {
      const known = jobs.get(key);
      if (!known && isFull(by)) return { state: 'busy' };
      const job = known ?? begin(key, by, start);
      job.givingUp.refresh();
      await noted(job, by, note);
      try {
        return { state: 'ready', value: await withTimeout(waitMs, job.result) };
      } catch (error) {
        if (error instanceof NoAnswer && !job.isDone) return { state: 'preparing', progress: job.progress() };
        throw error;
      }
    },
    close: (): void => jobs.clear(),
  };
};

type Asked = {
  readonly key: string;
  readonly by: string;
  /** Called once for each who asks, as long as the result is kept. Nobody gets it before. */
  readonly note: () => Promise<void>;
};

const noted = async <T>({ askers }: Job<T>, by: string, note: Asked['note']): Promise<void> => {
  const noting = askers.get(by) ?? note();
  askers.set(by, noting);
  await noting.catch((error: unknown) => {
    askers.delete(by);
    throw error;
  });
};

type Start<T> = (signal: AbortSignal, passed: Passed) => Promise<T>;
