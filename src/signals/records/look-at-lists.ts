import { hash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { inPoolTransaction, statement } from '../../common/transaction.ts';
import {
  fenceSubjectsOf,
  judgeFence,
  type FenceRow,
  type FenceSubject,
  type Guarded,
} from '../../domain/fence/fence.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { inSeconds } from '../../domain/signals/notice.ts';
import { nextTraceparent, parseTraceparent } from '../../observability/tracing/traceparent.ts';
import { fenceRows, toFenceRow, type StoredFenceRow } from '../../projections/fence/fence-statement.ts';
import type { RecordsQueue, SetDraft } from '../set-draft.ts';
import { lockStreamsOf, queueSets } from '../set-queue.ts';
import { recordsChangedType } from '../set-types.ts';
import { selectChangedLists, type ChangedList } from './changed-lists.ts';

export type LookDependencies = {
  readonly pool: Pool;
  readonly issuer: string;
  readonly intervalMs: number;
  /** The clock that all instances share. */
  readonly now: () => Instant;
};

/** Streams that one transaction looks at. */
const atOnce = 20;

/**
 * Queues that records changed, for each stream that requests it and was not looked at for the interval, on any
 * instance (AP-06). The look and what it queues are one transaction. @returns in how many milliseconds the next stream is due
 */
export const lookAtLists = async ({ pool, issuer, intervalMs, now }: LookDependencies): Promise<number> => {
  const type = recordsChangedType(issuer);
  for (;;) {
    const looked = await inPoolTransaction(pool, async (tx) => {
      const at = now();
      const values = [new Date(at - intervalMs), new Date(at), atOnce];
      const { rows } = await tx.query<{ readonly stream_id: string }>({ ...takeDue, values });
      const streamIds = rows.map(({ stream_id: streamId }) => streamId);
      if (streamIds.length > 0) await queueChanged(tx, { streamIds, type, at });
      return rows.length;
    });
    if (looked < atOnce) break;
  }
  const { rows } = await pool.query<{ looked_at: Date | null }>(selectNext);
  const due = (rows[0]?.looked_at?.getTime() ?? now()) + intervalMs;
  return Math.min(Math.max(due - now(), 0), intervalMs);
};

type Look = { readonly streamIds: readonly string[]; readonly type: string; readonly at: Instant };

const queueChanged = async (tx: PoolClient, { streamIds, type, at }: Look): Promise<void> => {
  const { rows: changed } = await tx.query<ChangedList>(selectChangedLists(streamIds));
  if (changed.length === 0) return;
  // Before the fence is asked: whoever queues that the access has ended comes after, and withdraws what is queued here.
  await lockStreamsOf(
    tx,
    changed.map(({ addonId }) => addonId),
  );
  const open = await openIn(tx, changed);
  const txn = parseTraceparent(nextTraceparent())?.traceId ?? '';
  await queueSets(
    tx,
    open.filter(({ isNews }) => isNews).map((list) => draftOf(list, { type, at, txn })),
  );
  await tx.query({
    ...upsertTold,
    values: [
      open.map(({ streamId }) => streamId),
      open.map(queueOf),
      open.map((list) => list.changed),
      open.map(({ state }) => state),
    ],
  });
};

/** Those that a grant opens by the fence, which knows at once what has ended. */
const openIn = async (tx: PoolClient, changed: readonly ChangedList[]): Promise<readonly ChangedList[]> => {
  const subjects = new Set(changed.flatMap((list) => guardedOf(list).flatMap(fenceSubjectsOf)));
  const { rows } = await tx.query<StoredFenceRow>(fenceRows, [[...subjects]]);
  const known = new Map<FenceSubject, FenceRow[]>();
  for (const row of rows.map(toFenceRow)) known.set(row.subject, [...(known.get(row.subject) ?? []), row]);
  const isOpen = (guarded: Guarded): boolean =>
    judgeFence(
      guarded,
      fenceSubjectsOf(guarded).flatMap((subject) => known.get(subject) ?? []),
    ) === null;
  return changed.filter((list) => guardedOf(list).some(isOpen));
};

const guardedOf = ({ addonId, kind, subjectId, grants }: ChangedList): readonly Guarded[] =>
  grants.map(({ grantId, userId, epoch }) => ({
    grantId,
    addonId,
    userId,
    subject: kind === 'organization' ? { kind, organizationId: subjectId, epoch } : { kind, userId, epoch },
  }));

const queueOf = ({ list, kind, subjectId }: ChangedList): RecordsQueue =>
  `records:${list}:${kind}:${subjectId}`;

/** Without a stored event: its `jti` is kept with the SET (SG-04). */
const draftOf = (
  changedList: ChangedList,
  { type, at, txn }: { readonly type: string; readonly at: Instant; readonly txn: string },
): SetDraft => {
  const { streamId, addonId, list, kind, subjectId, changed, state } = changedList;
  const queue = queueOf(changedList);
  return {
    addonId,
    queue,
    type,
    jti: hash('sha256', [streamId, type, queue, changed, state].join('\n'), 'buffer')
      .subarray(0, 16)
      .toString('base64url'),
    txn,
    subId: { format: 'opaque', id: subjectId },
    payload: {
      event_timestamp: inSeconds(at),
      position: `${changed}/${changed}`,
      [`${kind}_id`]: subjectId,
      list,
      reason: 'Records of the list changed.',
    },
    at,
    position: { commit: BigInt(changed), prepare: BigInt(changed) },
    part: 0,
  };
};

// A clock that was set back does not make anybody wait.
const takeDue = statement('take-due-signal-records')`
  update signal_record_streams set looked_at = $2
  where stream_id in (
    select stream_id from signal_record_streams
    where looked_at is null or looked_at <= $1 or looked_at > $2
    order by stream_id limit $3 for update skip locked)
  returning stream_id`;
const selectNext = 'select min(looked_at) as looked_at from signal_record_streams';
const upsertTold = statement('told-signal-records')`
  insert into signal_records_told (stream_id, queue, position, state)
  select * from unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
  on conflict (stream_id, queue) do update set position = excluded.position, state = excluded.state`;
