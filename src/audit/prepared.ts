import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { TokenKeys } from '../commands/credentials/token-keys.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import type {
  PreparedAnswer,
  PreparedAnswers,
  Preparing,
} from '../projections/working-state/prepared-answers.ts';
import { Interrupted } from './interrupted.ts';
import { makeCipher, startJob, type Job, type Start } from './prepared-job.ts';

export type Prepared<T> =
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'preparing'; readonly progress: Preparing }
  /** As many answers as may be prepared at once are being prepared. */
  | { readonly state: 'busy' };

export type PreparedResults = ReturnType<typeof makePrepared>;

/** In milliseconds, where nothing else is said. */
const usual = {
  /** How long a page waits. */
  waitMs: 3_000,
  /** The most that are being prepared, by all instances together, */
  most: 4,
  /** and for one who asks. */
  mostForOne: 2,
  /** What nobody has asked for during that time is given up. */
  keepMs: 60_000,
  /** How long an answer that is ready is given to others. */
  answerMs: 600_000,
  /** Another instance begins anew when the one that computes was not heard of for so long. */
  leaseMs: 15_000,
  renewMs: 2_000,
  /** How often those look who wait for another instance. */
  pollMs: 250,
  /** Bytes, compressed: a longer answer is given on the instance that computed it, to those who wait. */
  mostBytes: 16 * 1024 * 1024,
};

export type Question = {
  readonly kind: 'as-of' | 'exposure';
  /** Everything that the answer depends on, in any order. It ends in the past, so that the answer stays true. */
  readonly parameters: Readonly<Record<string, string | number | undefined>>;
  readonly by: string;
  /** Called once for each who asks, as long as the answer is kept. Nobody gets it before. */
  readonly note?: () => Promise<void>;
};

type Needs = Partial<typeof usual> & {
  readonly table: PreparedAnswers;
  readonly keys: TokenKeys;
  /** The clock that all instances share. */
  readonly now: () => Instant;
  /** Of this program: what another one has computed may have another form. */
  readonly version: string;
};

/**
 * Answers that may take longer than a request: one instance computes each, and all who ask the same, on whichever instance, get the one
 * answer, or how far it is.
 */
export const makePrepared = ({ table, keys, now, version, ...given }: Needs) => {
  const bounds = { ...usual, ...given };
  const { keepMs, leaseMs, most, mostForOne, pollMs, waitMs } = bounds;
  const cipher = makeCipher(keys);
  const jobs = new Map<string, Job>();
  const notes = new Map<string, Promise<void>>();
  let isClosed = false;

  /** What there is. Begins where nobody has; null where nobody may. */
  const look = async <T>(id: string, by: string, start: Start<T>): Promise<PreparedAnswer | null> => {
    const time = now();
    const expiresAt = time + keepMs;
    const known = await table.find(id, time);
    // Not with each look of those who wait.
    if (known?.answer === null && known.expiresAt < expiresAt - keepMs / 10) await table.want(id, expiresAt);
    if (known) return known;
    const holder = randomUUID();
    const row = await table.claim({
      id,
      by,
      holder,
      expiresAt,
      now: time,
      heldUntil: time + leaseMs,
      most,
      mostForOne,
    });
    if (row?.holder !== holder) return row;
    const ended = (job: Job) => void (jobs.get(id) === job && jobs.delete(id));
    jobs.set(id, startJob({ ...bounds, table, cipher, now }, { id, holder, start, ended }));
    return row;
  };

  const noted = async (id: string, by: string, note: () => Promise<void>): Promise<void> => {
    const key = `${id} ${by}`;
    const write = async () => {
      await note();
      await table.recorded(id, by);
    };
    const writing = notes.get(key) ?? write().finally(() => notes.delete(key));
    notes.set(key, writing);
    await writing;
  };

  /** Null: its key was removed, and it has to be computed anew. */
  const kept = async <T>(id: string, row: PreparedAnswer): Promise<Value<T>> => {
    const value = await cipher.decrypt<T>(id, row);
    if (!value) await table.release(id, row.holder);
    return value;
  };

  /** Keeps no process alive. */
  const pause = (ms: number, enough: AbortSignal) =>
    delay(ms, null, { signal: enough, ref: false }).catch(() => null);

  /** Null: it was stopped, or nobody waits any more. @throws what it throws */
  const joined = async <T>(id: string, job: Job, enough: AbortSignal): Promise<Value<T>> => {
    for (;;) {
      const value = await Promise.race([resultOf<T>(job), pause(keepMs / 10, enough)]);
      if (value || enough.aborted || job.isStopped()) return value;
      await table.want(id, now() + keepMs);
    }
  };

  const wait = async <T>(
    { kind, parameters, by, note }: Question,
    start: Start<T>,
    enough: AbortSignal,
  ): Promise<Prepared<T>> => {
    const id = digest([version, process.version, kind, ...namesAndValues(parameters)]);
    for (let isNoted = false; ;) {
      if (isClosed) throw new Interrupted('the service stops');
      const row = await look(id, by, start);
      const job = jobs.get(id);
      if (row && note && !isNoted && !row.askers.includes(by)) await noted(id, by, note);
      isNoted ||= row !== null;
      const value = await (row?.answer
        ? kept<T>(id, row)
        : job
          ? joined<T>(id, job, enough)
          : pause(pollMs, enough));
      if (value) return { state: 'ready', ...value };
      const progress = job?.progress() ?? row?.progress;
      if (enough.aborted) return progress ? { state: 'preparing', progress } : { state: 'busy' };
    }
  };

  return {
    /** @returns how far it is where it takes longer than a page may @throws what `start` and `note` throw */
    ask: <T>(question: Question, start: Start<T>): Promise<Prepared<T>> =>
      wait(question, start, AbortSignal.timeout(waitMs)),
    /** Waits for it, and for a place before that. @throws Interrupted, and what `start` throws */
    async answered<T>(question: Question, start: Start<T>, signal: AbortSignal): Promise<T> {
      const there = await wait(question, start, signal);
      if (there.state !== 'ready') throw new Interrupted('nobody waits for the answer any more');
      return there.value;
    },
    async close(): Promise<void> {
      isClosed = true;
      await Promise.all([...jobs.values()].map((job) => job.stop()));
    },
  };
};

type Value<T> = { readonly value: T } | null;

const resultOf = <T>({ result, isStopped }: Job): Promise<Value<T>> =>
  result.then(
    (value) => ({ value: value as T }),
    (error: unknown) => {
      if (isStopped()) return null; // who still waits begins anew
      throw error;
    },
  );

const namesAndValues = (parameters: Question['parameters']) =>
  Object.keys(parameters)
    .toSorted()
    .map((name) => [name, parameters[name]]);

const digest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
