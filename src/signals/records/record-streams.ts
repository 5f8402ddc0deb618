import { statement } from '../../common/transaction.ts';
import type { Tx } from '../../projections/follow/projection.ts';
import type { SetDraft } from '../set-draft.ts';
import { standardTypes } from '../set-types.ts';

/** In the log's order. @param since commit position of the event by which a stream requests it; null: it does not, or is disabled */
export const noteRequest = async (tx: Tx, streamId: string, since: bigint | null): Promise<void> =>
  void (await (since === null
    ? tx.query({ ...deleteStream, values: [streamId] })
    : tx.query({ ...insertStream, values: [streamId, since] })));

/** The ends of event types after which an add-on may no longer see records of the organization, of the user, or any. */
const ending: readonly string[] = [
  '/signals/addon-deactivated',
  '/signals/addon-suspended',
  '/signals/registration-changed',
  standardTypes.sessionRevoked,
  standardTypes.accountDisabled,
  standardTypes.accountPurged,
  standardTypes.tokensRevoked,
];

/**
 * Withdraws what waits about subjects whose access these SETs may end, in the transaction that queues them. Where
 * another grant opens the list still, it is queued again, with the same `jti`.
 */
export const withdrawRecords = async (tx: Tx, drafts: readonly SetDraft[]): Promise<void> => {
  const ends = drafts.filter(({ type }) => ending.some((end) => type.endsWith(end)));
  if (ends.length === 0) return;
  const values = [ends.map(({ addonId }) => addonId), ends.map(({ queue }) => queue)];
  await tx.query({ ...withdraw, values });
};

/** For a replay: what was said of later changes is forgotten, so that the newest is said again where it may be. */
export const forgetTold = async (tx: Tx, streamId: string, after: bigint): Promise<void> =>
  void (await tx.query({ ...forget, values: [streamId, after] }));

const insertStream = statement('request-signal-records')`
  insert into signal_record_streams (stream_id, since) values ($1, $2) on conflict do nothing`;
const deleteStream = statement('end-signal-records')`
  with stream as (delete from signal_record_streams where stream_id = $1)
  delete from signal_records_told where stream_id = $1`;
// The queue of records ends with the queue of its organization or user. What is about the add-on is about all, and may end nothing.
const withdraw = statement('withdraw-signal-records')`
  with gone as materialized (
    select told.stream_id, told.queue
    from unnest($1::text[], $2::text[]) as ended (addon_id, queue)
    join signal_streams using (addon_id)
    join signal_record_streams using (stream_id)
    join signal_records_told as told using (stream_id)
    where right(told.queue, length(ended.queue) + 1) = ':' || ended.queue
      or ended.queue = 'addon' and exists (select from signal_sets as waits where waits.stream_id = told.stream_id
                                             and waits.queue = told.queue and waits.waiting)),
  forgotten as (
    delete from signal_records_told as told using gone where told.stream_id = gone.stream_id and told.queue = gone.queue)
  delete from signal_sets as waits using gone
  where waits.stream_id = gone.stream_id and waits.queue = gone.queue and waits.waiting`;
const forget = statement('forget-told-signal-records')`
  with told as (delete from signal_records_told where stream_id = $1 and position > $2)
  delete from signal_sets where stream_id = $1 and queue like 'records:%' and commit_position > $2`;
