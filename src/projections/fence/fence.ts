import type { Pool } from 'pg';
import {
  fenceSubjectsOf,
  judgeFence,
  type Fence,
  type FenceRow,
  type FenceSubject,
} from '../../domain/fence/fence.ts';
import { fenceRows, toFenceRow, writeFenceStatement, type StoredFenceRow } from './fence-statement.ts';
import { makeBatchLoader } from '../database/batch-loader.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { ReadModels } from '../read-models.ts';

export type FenceDependencies = {
  /** For writes; each is one statement, durable when it returns. */
  readonly pool: Pool;
  /** For reads. It should have its own reader: otherwise every bearer check would wait for long list pages. */
  readonly reader: PipelinedReader;
};

/**
 * The fence over Postgres. Reads requested in one turn of the event loop share one statement, which is sent after the
 * last request: each sees everything committed before its call.
 */
export const makeFence = ({ pool, reader }: FenceDependencies): Fence => ({
  async write(rows) {
    if (rows.length > 0) await pool.query(writeFenceStatement(rows));
  },
  read: makeBatchedRead((subjects) => readRows(reader, subjects)),
});

/** The judgement of the fence about a token, where nothing else is read. */
export const readJudgement =
  (reader: PipelinedReader): ReadModels['judge'] =>
  async (guarded) =>
    judgeFence(guarded, await readRows(reader, fenceSubjectsOf(guarded)));

const readRows = async (
  reader: PipelinedReader,
  subjects: readonly FenceSubject[],
): Promise<readonly FenceRow[]> =>
  (await reader.query<StoredFenceRow>(readFence, [subjects])).map(toFenceRow);

const readFence = { name: 'read-fence', text: fenceRows };

const makeBatchedRead = (
  readAll: (subjects: readonly FenceSubject[]) => Promise<readonly FenceRow[]>,
): Fence['read'] =>
  makeBatchLoader<readonly FenceSubject[], readonly FenceRow[]>(async (asked) => {
    const rows = await readAll([...new Set(asked.flat())]);
    const found = new Map<FenceSubject, readonly FenceRow[]>();
    for (const row of rows) found.set(row.subject, [...(found.get(row.subject) ?? []), row]);
    return asked.map((subjects) => subjects.flatMap((subject) => found.get(subject) ?? []));
  }, Infinity);
