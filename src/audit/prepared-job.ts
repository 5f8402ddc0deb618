import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { gunzip, gzip } from 'node:zlib';
import { subkeysFor, type TokenKeys } from '../commands/credentials/token-keys.ts';
import { decrypt, encrypt } from '../common/aes-gcm.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import type {
  PreparedAnswer,
  PreparedAnswers,
  Preparing,
} from '../projections/working-state/prepared-answers.ts';
import type { Passed } from './exposure/exposure.ts';

export type Start<T> = (signal: AbortSignal, passed: Passed) => Promise<T>;

/** An answer that this instance computes. */
export type Job = {
  /** Rejects with what the computation throws. */
  readonly result: Promise<unknown>;
  readonly progress: () => Preparing;
  readonly isStopped: () => boolean;
  readonly stop: () => Promise<void>;
};

type Needs = {
  readonly table: PreparedAnswers;
  readonly cipher: ReturnType<typeof makeCipher>;
  readonly now: () => Instant;
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly answerMs: number;
  readonly mostBytes: number;
};

/** Computes it and keeps it for all instances, until it is there or the row says that it has to stop. @param ended called once */
export const startJob = <T>(
  { table, cipher, now, leaseMs, renewMs, answerMs, mostBytes }: Needs,
  { id, holder, start, ended }: Row & { readonly start: Start<T>; readonly ended: (job: Job) => void },
): Job => {
  const stopping = new AbortController();
  let progress: Preparing = { events: 0, upTo: null };
  let heldUntil = now() + leaseMs;
  let hasFailed = false;
  /** Without it, the lease ends: then whoever asks begins anew. */
  const release = () => table.release(id, holder).then(ignored, ignored);
  const end = () => {
    clearInterval(renewing);
    ended(job);
  };
  const stop = () => {
    end();
    stopping.abort();
    return release();
  };
  const renew = async () => {
    const until = now() + leaseMs;
    try {
      const isHeld = await table.renew({ id, holder, now: now(), heldUntil: until }, progress);
      if (!isHeld && !hasFailed) return await stop();
      heldUntil = until;
    } catch {
      if (now() >= heldUntil) await stop(); // another instance may have taken over
    }
  };
  const keep = async (value: T) => {
    const kept = await cipher.encrypt(id, value);
    if (kept.answer.length > mostBytes) await release();
    else if (!stopping.signal.aborted) await table.answer({ id, holder, expiresAt: now() + answerMs }, kept);
  };
  const compute = async (): Promise<T> => {
    try {
      const value = await start(stopping.signal, ({ created }) => {
        progress = { events: progress.events + 1, upTo: created };
      });
      await keep(value);
      return value;
    } catch (error) {
      hasFailed = true; // a renewal that finds no row any more would stop it, and those who wait would begin anew
      await release();
      throw error;
    } finally {
      end();
    }
  };
  const renewing = setInterval(() => void renew(), renewMs).unref();
  const result = compute();
  result.catch(ignored); // those who wait get it
  const job: Job = { result, progress: () => progress, isStopped: () => stopping.signal.aborted, stop };
  return job;
};

type Row = { readonly id: string; readonly holder: string };

const ignored = (): void => undefined;

/** Answers say who read what from where, so they are encrypted under the keys of the installation. */
export const makeCipher = (keys: TokenKeys) => {
  const subkeys = subkeysFor(keys, 'prepared-answer');
  const [current] = subkeys;
  return {
    encrypt: async (id: string, value: unknown) => ({
      tokenKeyId: current.id,
      answer: encrypt(current.key, id, await promisify(gzip)(serialize(value))),
    }),
    /** Null where the key is no longer there. */
    async decrypt<T>(
      id: string,
      { tokenKeyId, answer }: PreparedAnswer,
    ): Promise<{ readonly value: T } | null> {
      const subkey = subkeys.find((one) => one.id === tokenKeyId);
      const plain = subkey && answer && decrypt(subkey.key, id, answer);
      return plain ? { value: deserialize(await promisify(gunzip)(plain)) as T } : null;
    },
  };
};
