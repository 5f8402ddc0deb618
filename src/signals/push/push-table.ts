import { inTransaction, statement } from '../../common/transaction.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { Tx } from '../../projections/follow/projection.ts';
import type { StoredClaims } from '../set-draft.ts';
import { lockStream } from '../set-queue.ts';
import { noteFailure } from '../stream-table.ts';

export type DueSet = {
  readonly streamId: string;
  readonly addonId: string;
  /** Of the stream's newest event in the table; null where the worker has come to none since the table has revisions. */
  readonly revision: bigint | null;
  readonly endpointUrl: string;
  /** Encrypted; null for none. */
  readonly authorization: unknown;
  readonly jti: string;
  readonly claims: StoredClaims;
  readonly failures: number;
};

/** What was found of a stream that was looked at. A stream that is not pushed to now is left out. */
export type FoundDue = {
  readonly streamId: string;
  readonly due: readonly DueSet[];
  /** When a SET of it becomes due that is not due yet; null for none. */
  readonly nextDueAt: Instant | null;
};

/** Streams to look at, each with how many SETs are wanted at the most. */
export type Wanted = { readonly streamId: string; readonly most: number };

/** Of each queue only the first waiting SET is offered; those that never failed come first, then the longest due. */
export const findDue = async (
  tx: Tx,
  wanted: readonly Wanted[],
  now: Instant,
): Promise<readonly FoundDue[]> => {
  const { rows } = await tx.query<DueRow>({
    ...selectDue,
    values: [wanted.map(({ streamId }) => streamId), wanted.map(({ most }) => most), new Date(now)],
  });
  return rows.map(
    ({ stream_id, addon_id, revision, endpoint_url, authorization_header, next_due_at, due }) => ({
      streamId: stream_id,
      nextDueAt: next_due_at?.getTime() ?? null,
      due: due.map((set) => ({
        ...set,
        streamId: stream_id,
        addonId: addon_id,
        revision: revision === null ? null : BigInt(revision),
        endpointUrl: endpoint_url,
        authorization: authorization_header,
      })),
    }),
  );
};

/** Every stream that is pushed to now. */
export const pushedStreams = async (tx: Tx): Promise<readonly string[]> =>
  (await tx.query<{ stream_id: string }>(selectPushed)).rows.map(({ stream_id }) => stream_id);

/** Streams whose last push did not work. */
export const failingStreams = async (tx: Tx): Promise<readonly string[]> =>
  (await tx.query<{ stream_id: string }>(selectFailing)).rows.map(({ stream_id }) => stream_id);

/** After a restart every SET is tried at once; how often it has failed stays known. */
export const makeAllDue = async (tx: Tx): Promise<void> => {
  const { rows } = await tx.query<{ stream_id: string }>(selectDelayed);
  for (const { stream_id } of rows)
    await inTransaction(tx, async () => {
      await lockStream(tx, stream_id);
      await tx.query({ ...updateDue, values: [stream_id] });
    });
};

/** In a transaction, before what was taken ends: what waits for its repeat is due, but for refusals since the outage. */
export const makeDueAfterOutage = async (tx: Tx, streamId: string, failingSince: Instant): Promise<void> => {
  await lockStream(tx, streamId);
  await tx.query({ ...updateDueAfterOutage, values: [streamId, new Date(failingSince)] });
};

/** A failed push, in a transaction. Not counted after a change of the stream. @returns since when the SET has failed; null if not counted */
export const noteNotPushed = async (
  tx: Tx,
  { streamId, revision, jti }: DueSet,
  { error, dueAt, now }: { readonly error: string; readonly dueAt: Instant; readonly now: Instant },
): Promise<Instant | null> => {
  // Locks the stream's row, which comes first everywhere.
  if (!(await noteFailure(tx, { streamId, revision }, error, now))) return null;
  const { rows } = await tx.query<{ failing_since: Date }>({
    ...updateFailed,
    values: [streamId, jti, error, new Date(dueAt), new Date(now)],
  });
  return rows[0]?.failing_since.getTime() ?? null;
};

type DueRow = {
  readonly stream_id: string;
  readonly addon_id: string;
  readonly revision: string | null;
  readonly endpoint_url: string;
  readonly authorization_header: unknown;
  readonly next_due_at: Date | null;
  readonly due: readonly Pick<DueSet, 'jti' | 'claims' | 'failures'>[];
};

const isPushed = `method = 'push' and status = 'enabled' and endpoint_url is not null`;

const selectDue = statement('due-signal-pushes')`
  select stream_id, addon_id, revision, endpoint_url, authorization_header, next_due_at,
         coalesce(due, '[]') as due
  from unnest($1::text[], $2::int[]) as wanted (stream_id, most)
  join signal_streams using (stream_id),
  lateral (select min(due_at) as next_due_at from signal_sets
           where stream_id = wanted.stream_id and head and due_at > $3) later,
  lateral (select json_agg(json_build_object('jti', jti, 'claims', claims, 'failures', attempts)) as due
           from (select jti, claims, attempts from signal_sets
                 where stream_id = wanted.stream_id and head and (due_at is null or due_at <= $3)
                 order by due_at nulls first, commit_position, prepare_position, part
                 limit wanted.most) first) found
  where ${isPushed}`;
const selectPushed = statement('pushed-signal-streams')`
  select stream_id from signal_streams where ${isPushed} order by stream_id`;
const selectFailing = statement('failing-signal-streams')`
  select stream_id from signal_streams where ${isPushed} and failing_since is not null`;
const selectDelayed = statement('delayed-signal-pushes')`
  select distinct stream_id from signal_sets where head and due_at is not null order by stream_id`;
const updateDue = statement('signal-pushes-due')`
  update signal_sets set due_at = null where stream_id = $1 and head and due_at is not null`;
const updateDueAfterOutage = statement('signal-pushes-due-after-outage')`
  update signal_sets set due_at = null from signal_streams
  where signal_sets.stream_id = $1 and signal_streams.stream_id = $1 and signal_streams.failing_since <= $2
    and signal_sets.failing_since >= signal_streams.failing_since and head and due_at is not null`;
const updateFailed = statement('signal-push-failed')`
  update signal_sets set attempts = attempts + 1, last_error = $3, due_at = $4,
                         failing_since = coalesce(failing_since, $5)
  where stream_id = $1 and jti = $2 and waiting returning failing_since`;
