import type { FenceSubject } from '../../domain/fence/fence.ts';
import type { LogReader } from '../../eventstore/event-store.ts';
import { longestAccessToken } from '../../domain/fence/fence-retention.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { Tx } from '../follow/projection.ts';
import { readFenceEnd } from './fence-ends.ts';

type Dependencies = { readonly log: Pick<LogReader, 'readEach'>; readonly now: () => Instant };

/** How many rows are looked up in the log at once. */
const page = 50;

/**
 * Records the end of each row that can have one and has none recorded yet. So the writers of rows (a command, the
 * projector, a rebuild or an older version) need not know it.
 */
export const dateFence = async (tx: Tx, { log, now }: Dependencies, signal: AbortSignal): Promise<void> => {
  for (let after = ''; !signal.aborted;) {
    const { rows } = await tx.query<Undated>(selectUndated, [after, page]);
    const last = rows.at(-1);
    if (!last) return;
    after = last.subject;
    const ends = await Promise.all(
      rows.map((row) => readFenceEnd(log, { ...row, revision: BigInt(row.revision), open: false })),
    );
    const dated = rows.flatMap(({ subject }, index) => {
      const end = ends[index] ?? 'never';
      // Of a grant that is not in the log, only access tokens could still be accepted.
      return end === 'never' ? [] : [{ subject, end: end === 'gone' ? now() + longestAccessToken : end }];
    });
    await tx.query(writeEnds, [dated.map(({ subject }) => subject), dated.map(({ end }) => end)]);
  }
};

type Undated = { readonly subject: FenceSubject; readonly revision: string };

const selectUndated = `
  select subject, revision from fence
  where ends is null and not open and (subject like 'grant:%' or subject like 'access:%') and subject > $1
  order by subject limit $2`;

const writeEnds = `
  update fence set ends = dated.ends from unnest($1::text[], $2::bigint[]) as dated (subject, ends)
  where fence.subject = dated.subject and not fence.open`;
