import { statement } from '../../common/transaction.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { Logger, PipelinedReader } from './pipelined-reader.ts';

/** The time that all instances use, and how it is kept. */
export type SharedClock = {
  readonly now: () => Instant;
  /** Compares with the database once. Never throws: without an answer the last comparison stays valid. */
  compare(): Promise<void>;
  stop(): void;
};

type Dependencies = {
  readonly reader: PipelinedReader;
  readonly own: () => Instant;
  readonly logger: Pick<Logger, 'warn'>;
};

/** Milliseconds between two comparisons, and the limits of what is accepted. */
const every = 10_000;
const tolerated = 1_000;
const corrected = 120_000;
const slowest = 1_000;

/** Lifetimes are judged by the database's clock when ours differs by one second to two minutes (TR-04). Larger differences are not hidden. */
export const makeSharedClock = ({ reader, own, logger }: Dependencies): SharedClock => {
  let offset = 0;
  const compare = async (): Promise<void> => {
    try {
      const asked = own();
      const [row] = await reader.query<{ now: string }>(databaseClock, []);
      const answered = own();
      const found = offsetOf(Number(row?.now), asked, answered);
      if (found === null) return;
      if (found !== 0 && offset === 0)
        logger.warn({ milliseconds: Math.round(found) }, 'own clock differs from the database; corrected');
      offset = found;
    } catch (err) {
      logger.warn({ err }, 'own clock cannot be compared with the database; retrying');
    }
  };
  const timer = setInterval(() => void compare(), every).unref();
  return { now: () => own() + offset, compare, stop: () => clearInterval(timer) };
};

/** @returns milliseconds to add to the own clock; null if the answer came too late, or more than is corrected */
export const offsetOf = (database: Instant, asked: Instant, answered: Instant): number | null => {
  const error = (answered - asked) / 2;
  if (error < 0 || error > slowest) return null;
  const apart = Math.round(database - (asked + answered) / 2);
  if (Math.abs(apart) - error <= tolerated) return 0;
  return Math.abs(apart) <= corrected ? apart : 0;
};

const databaseClock = statement('database-clock')`
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`;
