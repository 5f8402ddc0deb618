import type { Pool } from 'pg';
import { statement } from '../../common/transaction.ts';
import { recordCategories } from '../../domain/records/each-record.ts';
import type { LogMessage, Position, RecordedEvent } from '../../eventstore/event-store.ts';
import type { Logger } from '../database/pipelined-reader.ts';

/** An event that was in the log when the read models applied it. */
export type LogMark = Pick<RecordedEvent, 'id' | 'revision' | 'position' | 'created'> & {
  readonly stream: string;
};

type Dependencies = {
  readonly pool: Pick<Pool, 'query'>;
  readonly logger: Logger;
  readonly everyMs?: number;
};

/** Streams that nobody truncates and whose names identify nobody: if their events are missing, they are lost. */
const lasting = new RegExp(
  `^(?:${['organization', 'addon', 'activation', 'account', 'consent', ...recordCategories].join('|')})-`,
);

/** Stores the newest applied event, apart from the projector's own work and rarely: once a minute at most. */
export const makeLogMarks = ({ pool, logger, everyMs = 60_000 }: Dependencies) => {
  let waiting: LogMark | null = null;
  let timer: NodeJS.Timeout | undefined;
  let notBefore = -Infinity;
  let writing = Promise.resolve();

  const write = () => {
    timer = undefined;
    const mark = waiting;
    if (mark === null) return;
    waiting = null;
    notBefore = performance.now() + everyMs;
    writing = writing
      .then(() => writeMark(pool, mark))
      .catch((error: unknown) => logger.warn({ err: error }, 'a mark of the log could not be written'));
  };
  return {
    /** Called with what the read models have just applied. */
    passed(messages: readonly LogMessage[]) {
      waiting = lastLasting(messages) ?? waiting;
      if (waiting === null || timer) return;
      timer = setTimeout(write, Math.max(0, notBefore - performance.now()));
      timer.unref();
    },
    async stop() {
      clearTimeout(timer);
      write();
      await writing;
    },
  };
};

const lastLasting = (messages: readonly LogMessage[]): LogMark | null => {
  for (const message of messages.toReversed())
    if (message.kind === 'event' && lasting.test(message.event.stream)) return message.event;
  return null;
};

const writeMark = async (pool: Dependencies['pool'], mark: LogMark): Promise<void> => {
  const { position, id, stream, revision, created } = mark;
  const values = [position.commit, position.prepare, id, stream, revision, created];
  await pool.query(insert, values);
  await pool.query(thin, [created - DAY, created - 2 * DAY]);
};

const insert = `
  insert into log_marks (commit_position, prepare_position, event_id, stream, revision, created_at)
  values ($1, $2, $3, $4, $5, $6) on conflict do nothing`;

const DAY = 86_400_000;

/** After a day, one mark per hour is enough: the newest one detects a log that went back, the others only show how far. */
const thin = `
  delete from log_marks as mark using log_marks as earlier
  where mark.created_at between $2 and $1 and earlier.created_at between $2 and $1
    and earlier.created_at / 3600000 = mark.created_at / 3600000 and earlier.commit_position < mark.commit_position`;

const columns = 'commit_position, prepare_position, event_id, stream, revision, created_at';

export const readMarks = statement('log-marks')`
  select ${columns} from log_marks order by commit_position, prepare_position`;

export const readNewestMark = statement('newest-log-mark')`
  select ${columns} from log_marks order by commit_position desc, prepare_position desc limit 1`;

export type MarkRow = {
  readonly commit_position: string;
  readonly prepare_position: string;
  readonly event_id: string;
  readonly stream: string;
  readonly revision: string;
  readonly created_at: string;
};

export const toMark = (row: MarkRow): LogMark => ({
  position: toPosition(row),
  id: row.event_id,
  stream: row.stream,
  revision: BigInt(row.revision),
  created: Number(row.created_at),
});

export const toPosition = (row: Pick<MarkRow, 'commit_position' | 'prepare_position'>): Position => ({
  commit: BigInt(row.commit_position),
  prepare: BigInt(row.prepare_position),
});
