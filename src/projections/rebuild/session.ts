import type { LogReader, LogSubscriptions } from '../../eventstore/event-store.ts';
import type { ProjectionSwapEvent } from '../../domain/log/projection-swap.ts';
import { leadershipBounds } from '../leadership/leadership-bounds.ts';
import { openLeaderSession } from '../leadership/leader-session.ts';
import type { ReadSkipped } from '../parking/parked-keys.ts';
import type { Tx } from '../follow/projection.ts';
import type { Logger } from '../database/pipelined-reader.ts';
import { RebuildRefused } from './refusal.ts';

export type RebuildDependencies = {
  readonly databaseUrl: string;
  readonly log: LogSubscriptions & LogReader;
  /** Records a swap in the log; the same swap may be recorded again. */
  readonly noteSwap: (swap: ProjectionSwapEvent['data']) => Promise<void>;
  /** Events that operators decided to skip. */
  readonly skipped?: ReadSkipped;
  readonly logger: Logger;
  readonly now: () => number;
  /** Aborted when the caller stops waiting: the work ends between two batches. */
  readonly signal: AbortSignal;
};

export const noneSkipped: ReadSkipped = () => Promise.resolve(new Set());

/** Creating an index of a large table takes long; waiting for a lock has a limit of its own. */
const bounds = { ...leadershipBounds, statementMs: 6 * 3_600_000 };

export type Session = { readonly tx: Tx; readonly lost: AbortSignal };

/** One command at a time works on a read model's versions, by a lock of its session. @throws RebuildRefused when another holds it */
export const withSession = async <T>(
  { databaseUrl, logger, signal }: Pick<RebuildDependencies, 'databaseUrl' | 'logger' | 'signal'>,
  name: string,
  use: (session: Session) => Promise<T>,
): Promise<T> => {
  const lock = `rebuild:${name}`;
  const session = await openLeaderSession({ databaseUrl, logger, signal, bounds, name: lock });
  try {
    if (!(await session.tryLock()))
      throw new RebuildRefused('busy', `another command works on the versions of ${name}: wait for its end`);
    await session.tx.query(`set lock_timeout = '10s'`);
    return await use(session);
  } catch (error) {
    session.lost.throwIfAborted();
    throw error;
  } finally {
    await session.close();
  }
};
