import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { linkAbort } from '../../common/linked-abort.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { Listener } from '../../projections/database/listener.ts';
import type { Term } from '../../projections/leadership/leader.ts';
import {
  startLeaderElectedWorker,
  type LeaderElectedWorker,
  type LedDependencies,
  type Progress,
} from '../../projections/leadership/leader-elected-worker.ts';
import { SIGNALS_CHANNEL } from '../set-queue.ts';
import type { SignSet } from '../sign-set.ts';
import { noteOutcomes, type Outcome } from './note-outcomes.ts';
import { makePushSchedule, type NotNow, pushLimits, type PushLimits } from './push-schedule.ts';
import type { Push, Pushed } from './push-set.ts';
import {
  failingStreams,
  findDue,
  makeAllDue,
  pushedStreams,
  type DueSet,
  type FoundDue,
} from './push-table.ts';

/** Where a fault test may end the process. */
export type PushPoint = 'signed' | 'pushed' | 'noted' | 'paused';

export type SetDelivery = {
  readonly sign: SignSet;
  /** Whether the table has what the log says of the stream: where to push, and whether. */
  readonly isCurrent: (set: DueSet) => Promise<boolean>;
  /** The `Authorization` header; null when its key is gone. @param stored as the table of streams has it */
  readonly decrypt: (streamId: string, stored: unknown) => string | null;
  readonly push: (push: Push, stopping: AbortSignal) => Promise<Pushed>;
};

export type PushWorkerDependencies = LedDependencies & {
  readonly listener: Pick<Listener, 'on'>;
  readonly now: () => Instant;
  readonly delivery: SetDelivery;
  /** Pauses the stream as the transmitter, unless it changed since; the reason is for its owner and the operator. */
  readonly pause: (stream: Pick<DueSet, 'streamId' | 'revision'>, reason: string) => Promise<unknown>;
  readonly random?: () => number;
  readonly limits?: Partial<PushLimits>;
  readonly at?: (point: PushPoint, set: DueSet) => Promise<void> | void;
};

export type PushWorker = LeaderElectedWorker & {
  readonly failures: () => number;
};

const mostLookedAt = 200;

const mostNoted = 100;

/** Everything is looked at this often, in case that a notification was lost. In milliseconds. */
const everythingEvery = 30_000;

/**
 * Pushes what is offered on the streams of the delivery method push (RFC 8935), on one instance at a time. A SET is
 * noted as taken after the receiver's 202, so it may be sent again after a crash, with the same `jti`.
 */
export const startPushing = (dependencies: PushWorkerDependencies): PushWorker => {
  let failures = 0;
  const led = startLeaderElectedWorker({
    ...dependencies,
    name: 'signal-push',
    work: (term, progressed) => pushWhileLeading(dependencies, term, progressed, () => (failures += 1)),
  });
  return { ...led, failures: () => failures };
};

const pushWhileLeading = async (
  dependencies: PushWorkerDependencies,
  { tx, signal, position, stillLeads }: Term,
  progressed: Progress,
  failed: () => void,
): Promise<void> => {
  const { listener, now } = dependencies;
  const limits = { ...pushLimits, ...dependencies.limits };
  const schedule = makePushSchedule(limits, await failingStreams(tx));
  const outcomes: Outcome[] = [];
  const timers = new Map<string, NodeJS.Timeout>();
  const bell = makeBell();
  const leaving = linkAbort(signal);
  setMaxListeners(0, leaving.signal); // one for each push under way
  let lookAtAll = true;

  const markLater = (streamId: string, at: Instant | null) => {
    clearTimeout(timers.get(streamId));
    timers.delete(streamId);
    if (at === null) return;
    const due = () => {
      timers.delete(streamId);
      schedule.mark(streamId);
      bell.ring();
    };
    timers.set(streamId, setTimeout(due, Math.max(0, at - now())));
  };
  const begin = ({ streamId, due, nextDueAt }: FoundDue): void => {
    markLater(streamId, nextDueAt);
    for (const set of due)
      if (schedule.begin(streamId, set.jti))
        void pushOne(dependencies, set, leaving.signal, stillLeads).then(async (pushed) => {
          if (pushed === 'not-signed' || pushed === 'not-current')
            await delay(limits.againMs[pushed], undefined, leaving).catch(() => undefined);
          if (typeof pushed === 'string') schedule.end(streamId, set.jti, set.failures > 0);
          else outcomes.push({ set, ...pushed });
          bell.ring();
        });
  };
  const noteSome = async (): Promise<void> => {
    const some = outcomes.splice(0, mostNoted);
    const tooLong = await noteOutcomes(tx, some, dependencies);
    for (const { outcome, since } of tooLong) pauseStream(dependencies, outcome, since);
    for (const { set, error } of some) {
      if (error !== null) failed();
      await dependencies.at?.('noted', set);
      schedule.end(set.streamId, set.jti, error !== null);
    }
  };

  const stopListening = listener.on(SIGNALS_CHANNEL, {
    heard: (streamId) => {
      schedule.mark(streamId);
      bell.ring();
    },
    connected: () => {
      lookAtAll = true;
      return Promise.resolve(bell.ring());
    },
  });
  const sweeping = setInterval(() => {
    lookAtAll = true;
    bell.ring();
  }, everythingEvery);
  leaving.signal.addEventListener('abort', bell.ring);
  try {
    await makeAllDue(tx);
    while (!signal.aborted) {
      if (outcomes.length > 0) await noteSome();
      if (lookAtAll) {
        lookAtAll = false;
        for (const streamId of await pushedStreams(tx)) schedule.mark(streamId);
      }
      const wanted = schedule.take(mostLookedAt);
      if (wanted.length > 0) for (const found of await findDue(tx, wanted, now())) begin(found);
      else if (outcomes.length === 0) {
        progressed(position, true);
        await bell.rung();
      }
    }
  } finally {
    leaving.abort(); // ends the pushes under way, also when this term failed: the next one repeats them
    leaving.unlink();
    clearInterval(sweeping);
    for (const timer of timers.values()) clearTimeout(timer);
    stopListening();
  }
};

/**
 * Nothing where another may lead, or the stream has changed in the log. A SET that cannot be signed is not its receiver's failure.
 * Never rejects. @returns without `error` when taken, else why not, for its owner
 */
const pushOne = async (
  { delivery, at, logger }: PushWorkerDependencies,
  set: DueSet,
  signal: AbortSignal,
  stillLeads: () => boolean,
): Promise<Pushed | 'not-begun' | NotNow> => {
  const { sign, isCurrent, decrypt, push } = delivery;
  const { streamId, addonId, endpointUrl } = set;
  try {
    const authorization = set.authorization === null ? null : decrypt(streamId, set.authorization);
    if (set.authorization !== null && authorization === null) return { error: withoutKey };
    const signed = await sign(addonId, set);
    await at?.('signed', set);
    if (!(await isCurrent(set))) return 'not-current';
    if (!stillLeads()) return 'not-begun';
    const pushed = await push({ endpointUrl, authorization, set: signed }, signal);
    await at?.('pushed', set);
    return pushed;
  } catch (error) {
    logger.warn({ err: error, streamId, jti: set.jti }, 'a SET cannot be signed or sent now; trying again');
    return 'not-signed';
  }
};

const withoutKey =
  'not delivered: authorization_header cannot be decrypted, because its key was removed; set it again';

/** Not awaited: the event store may be slow. What fails is done again at the next failure. */
const pauseStream = (
  { pause, logger, at }: PushWorkerDependencies,
  { set, error }: Outcome,
  since: Instant,
): void => {
  const reason = `Pushes have failed since ${new Date(since).toISOString()}; the last one: the receiver ${error}`;
  pause(set, reason).then(
    () => at?.('paused', set),
    (problem: unknown) =>
      logger.warn({ err: problem, streamId: set.streamId }, 'a stream could not be paused'),
  );
};

/** Rung before anybody waits, it is not missed. */
const makeBell = () => {
  let [isRung, wake] = [false, () => {}];
  return {
    ring: () => {
      isRung = true;
      wake();
    },
    async rung(): Promise<void> {
      if (!isRung) await new Promise<void>((resolve) => (wake = resolve));
      isRung = false;
    },
  };
};
