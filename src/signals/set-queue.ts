import { notifyOn } from '../projections/database/installation.ts';
import { statement } from '../common/transaction.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import type { Tx } from '../projections/follow/projection.ts';
import { forgetTold } from './records/record-streams.ts';
import { claimsOf, type Queue, type SetDraft } from './set-draft.ts';

/** The channel that names a stream whenever a SET of it can be offered, or something of the stream has changed. */
export const SIGNALS_CHANNEL = 'signals';

type StreamAndQueue = { readonly stream_id: string; readonly queue: string };

/** How the receiver ended a SET: acknowledged when `error` is null, otherwise as its `setErrs` says. */
export type Ending = { readonly jti: string; readonly error: string | null };

/** What a stream gets even if it did not ask for it, about itself alone (SSF 1.0 §8.1.4, §8.1.5). */
const alwaysSent: readonly Queue[] = ['stream', 'verification'];

/** Adds SETs, in order, to their add-ons' enabled streams that asked for the event. In a transaction; repeatable. @returns how many streams they have */
export const queueSets = async (tx: Tx, drafts: readonly SetDraft[]): Promise<number> => {
  const streams = await lockStreamsOf(
    tx,
    drafts.map(({ addonId }) => addonId),
  );
  if (streams === 0) return 0;
  const { rows } = await tx.query<StreamAndQueue>({
    ...insertSets,
    values: [
      drafts.map(({ addonId }) => addonId),
      drafts.map(({ queue }) => queue),
      drafts.map(({ type }) => type),
      drafts.map(({ jti }) => jti),
      drafts.map(({ position }) => position.commit),
      drafts.map(({ position }) => position.prepare),
      drafts.map(({ part }) => part),
      drafts.map(({ at }) => new Date(at)),
      drafts.map((draft) => JSON.stringify(claimsOf(draft))),
      alwaysSent,
    ],
  });
  await promote(tx, rows);
  return streams;
};

/** Permanently ends SETs, and lets their queues go on, in a transaction; unknown, ended and replayed ones are passed over. @returns how many */
export const endSets = async (
  tx: Tx,
  streamId: string,
  endings: readonly Ending[],
  now: Instant,
): Promise<number> => {
  if (endings.length === 0) return 0;
  await lockStream(tx, streamId);
  const { rows } = await tx.query<StreamAndQueue & Pick<Ending, 'error'>>({
    ...updateEnded,
    values: [streamId, endings.map(({ jti }) => jti), endings.map(({ error }) => error), new Date(now)],
  });
  if (rows.length === 0) return 0;
  const error = rows.find((row) => row.error !== null)?.error ?? null;
  await tx.query({ ...countDelivered, values: [streamId, rows.length, new Date(now), error] });
  await promote(tx, rows);
  return rows.length;
};

/** Offers again, before all else, what is kept of events after a position. In a transaction. */
export const replaySets = async (
  tx: Tx,
  streamId: string,
  after: { readonly commit: bigint; readonly prepare: bigint },
): Promise<void> => {
  await lockStream(tx, streamId);
  await forgetTold(tx, streamId, atMostLast(after.commit));
  const values = [streamId, atMostLast(after.commit), atMostLast(after.prepare), alwaysSent];
  const { rows } = await tx.query<StreamAndQueue>({ ...updateReplayed, values });
  const queues = [...new Set(rows.map(({ queue }) => queue))];
  await tx.query({ ...withdrawHeads, values: [streamId, queues] });
  await promote(
    tx,
    queues.map((queue) => ({ stream_id: streamId, queue })),
  );
};

/** No event is later, and no column holds a greater one: the text of a position has unsigned numbers. */
const lastPosition = 2n ** 63n - 1n;
const atMostLast = (position: bigint): bigint => (position > lastPosition ? lastPosition : position);

/** What waits when a stream is disabled is not kept (SSF 1.0 §8.1.2), but for what is said about the stream itself. */
export const dropWaiting = async (tx: Tx, streamId: string): Promise<void> => {
  await lockStream(tx, streamId);
  await tx.query({ ...deleteWaiting, values: [streamId, alwaysSent] });
};

/** Called in a transaction: whoever changes SETs of a stream locks its row first. */
export const lockStream = async (tx: Tx, streamId: string): Promise<void> =>
  void (await tx.query({ ...lockOneStream, values: [streamId] }));

/** Called in a transaction that will change several streams, before anything else of them. @returns how many there are */
export const lockStreamsOf = async (tx: Tx, addonIds: readonly string[]): Promise<number> => {
  if (addonIds.length === 0) return 0;
  return (await tx.query({ ...lockStreamsOfAddons, values: [[...new Set(addonIds)]] })).rowCount ?? 0;
};

/** Removes up to `most` SETs of events before `before`. Called in a transaction. @returns how many */
export const removeExpired = async (tx: Tx, before: Instant, most: number): Promise<number> => {
  const { rows: old } = await tx.query<{ stream_id: string; jti: string }>({
    ...selectExpired,
    values: [new Date(before), most],
  });
  if (old.length === 0) return 0;
  await tx.query({ ...lockStreams, values: [[...new Set(old.map(({ stream_id }) => stream_id))]] });
  const { rows } = await tx.query<StreamAndQueue & { readonly head: boolean }>({
    ...deleteSets,
    values: [old.map(({ stream_id }) => stream_id), old.map(({ jti }) => jti)],
  });
  await promote(
    tx,
    rows.filter(({ head }) => head),
  );
  return rows.length;
};

/** Wakes whoever waits for a stream of which something has changed. */
export const wakeStream = async (tx: Tx, streamId: string): Promise<void> =>
  void (await tx.query({ ...notifyStream, values: [streamId] }));

/** Marks the first waiting SET of each queue that has no head, and wakes whoever waits for its stream. */
const promote = async (tx: Tx, queues: readonly StreamAndQueue[]): Promise<void> => {
  if (queues.length === 0) return;
  const once = [...new Map(queues.map((one) => [`${one.stream_id} ${one.queue}`, one])).values()];
  await tx.query({
    ...markHeads,
    values: [once.map(({ stream_id }) => stream_id), once.map(({ queue }) => queue)],
  });
};

// The rows of streams are always locked in the same order, so that nobody waits for each other.
const lockStreamsOfAddons = statement('lock-signal-streams-of-addons')`
  select stream_id from signal_streams where addon_id = any($1) and status <> 'deleted' order by stream_id for update`;
const lockStreams = statement('lock-signal-streams')`
  select stream_id from signal_streams where stream_id = any($1) order by stream_id for update`;
const lockOneStream = statement('lock-signal-stream')`
  select stream_id from signal_streams where stream_id = $1 for update`;
const insertSets = statement('queue-signal-sets')`
  insert into signal_sets
    (stream_id, jti, queue, commit_position, prepare_position, part, at, claims, waiting, head)
  select stream_id, jti, queue, commit_position, prepare_position, part, at, claims::jsonb, true, false
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::int[],
              $8::timestamptz[], $9::text[])
    as drafts (addon_id, queue, type, jti, commit_position, prepare_position, part, at, claims)
  join signal_streams using (addon_id)
  where status <> 'deleted'
    and case when queue = any($10) then claims::jsonb #>> '{sub_id,id}' = stream_id
             else status <> 'disabled' and type = any(events_requested) end
  on conflict do nothing
  returning stream_id, queue`;
const updateEnded = statement('end-signal-sets')`
  update signal_sets set waiting = false, head = false, acknowledged_at = $4, receiver_error = ended.error
  from unnest($2::text[], $3::text[]) as ended (jti, error)
  where stream_id = $1 and signal_sets.jti = ended.jti and head
  returning stream_id, queue, receiver_error as error`;
const countDelivered = statement('count-delivered-signal-sets')`
  update signal_streams set delivered = delivered + $2, last_delivered_at = $3, failing_since = null,
    last_error = coalesce($4, last_error), last_error_at = case when $4 is null then last_error_at else $3 end
  where stream_id = $1`;
const updateReplayed = statement('replay-signal-sets')`
  update signal_sets set waiting = true, attempts = 0, failing_since = null, due_at = null, last_error = null,
    receiver_error = null
  where stream_id = $1 and (commit_position, prepare_position) > ($2, $3) and queue <> all($4)
  returning stream_id, queue`;
const withdrawHeads = statement('withdraw-signal-heads')`
  update signal_sets set head = false where stream_id = $1 and queue = any($2) and head`;
const deleteWaiting = statement('drop-waiting-signal-sets')`
  delete from signal_sets where stream_id = $1 and waiting and queue <> all($2)`;
const selectExpired = statement('expired-signal-sets')`
  select stream_id, jti from signal_sets where at < $1 order by at limit $2`;
const deleteSets = statement('remove-signal-sets')`
  delete from signal_sets using unnest($1::text[], $2::text[]) as old (stream_id, jti)
  where signal_sets.stream_id = old.stream_id and signal_sets.jti = old.jti
  returning signal_sets.stream_id, queue, head`;
export const notifyStream = {
  name: 'notify-signal-stream',
  text: `select ${notifyOn(SIGNALS_CHANNEL, '$1')}`,
};
const markHeads = statement('mark-signal-heads')`
  with queues as (select * from unnest($1::text[], $2::text[]) as queues (stream_id, queue)),
  marked as (
    update signal_sets set head = true
    from (select queues.stream_id, first.jti from queues, lateral (
            select jti from signal_sets waits
            where waits.stream_id = queues.stream_id and waits.queue = queues.queue and waiting
            order by commit_position, prepare_position, part limit 1) first
          where not exists (select from signal_sets present where present.stream_id = queues.stream_id
                            and present.queue = queues.queue and present.head)) next
    where signal_sets.stream_id = next.stream_id and signal_sets.jti = next.jti
    returning signal_sets.stream_id)
  select ${notifyOn(SIGNALS_CHANNEL, 'stream_id')} from (select distinct stream_id from marked) named`;
