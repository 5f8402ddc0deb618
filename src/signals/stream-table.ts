import { statement } from '../common/transaction.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import type { Tx } from '../projections/follow/projection.ts';

export type StreamRow = {
  readonly streamId: string;
  readonly addonId: string;
  readonly method: 'poll' | 'push';
  readonly endpointUrl: string | null;
  /** Encrypted as in the log. */
  readonly authorizationHeader: object | null;
  readonly status: 'enabled' | 'paused' | 'disabled';
  readonly reason: string | null;
  readonly eventsRequested: readonly string[];
};

/** In the log's order. Delivery facts stay; failed pushes begin again, but nothing fails where pushes have ended permanently. */
export const keepStream = async (tx: Tx, row: StreamRow): Promise<void> => {
  await tx.query({ ...upsert, values: valuesOf(row) });
  await tx.query({ ...beginAgain, values: [row.streamId] });
};

/** As the worker has kept it; null where it has not, or the stream was deleted. */
export const readStream = async (tx: Tx, streamId: string): Promise<StreamRow | null> =>
  (await tx.query<StreamRow>({ ...select, values: [streamId] })).rows[0] ?? null;

/** For a stream the worker has not seen; an existing row stays. It requests nothing until the worker comes to its creation. */
export const ensureStream = async (tx: Tx, row: StreamRow): Promise<void> =>
  void (await tx.query({ ...insert, values: valuesOf({ ...row, eventsRequested: [] }) }));

/** Its SETs are gone; the row stays until `removeDeletedStreams`, so that nothing makes the stream again by mistake. */
export const markDeleted = async (tx: Tx, streamId: string, now: Instant): Promise<void> => {
  await tx.query({ ...updateDeleted, values: [streamId, new Date(now)] });
  await tx.query({ ...deleteSets, values: [streamId] });
};

/** @param before of deletions */
export const removeDeletedStreams = async (tx: Tx, before: Instant): Promise<number> =>
  (await tx.query({ ...deleteStreams, values: [new Date(before)] })).rowCount ?? 0;

/** Of the newest event of the stream that was followed: what was decided on an older one is to be decided again. */
export const noteRevision = async (tx: Tx, streamId: string, revision: bigint): Promise<void> =>
  void (await tx.query({ ...updateRevision, values: [streamId, revision] }));

/** A push did not work: since when none has, and why. @returns false where `stream`, as when it began, has changed */
export const noteFailure = async (
  tx: Tx,
  { streamId, revision }: { readonly streamId: string; readonly revision: bigint | null },
  error: string,
  now: Instant,
): Promise<boolean> =>
  (await tx.query({ ...updateFailed, values: [streamId, error, new Date(now), revision] })).rowCount === 1;

const valuesOf = (row: StreamRow) => [
  row.streamId,
  row.addonId,
  row.method,
  row.endpointUrl,
  row.authorizationHeader && JSON.stringify(row.authorizationHeader),
  row.status,
  row.reason,
  row.eventsRequested,
];

const select = statement('signal-stream')`
  select stream_id as "streamId", addon_id as "addonId", method, endpoint_url as "endpointUrl",
         authorization_header as "authorizationHeader", status, reason, events_requested as "eventsRequested"
  from signal_streams where stream_id = $1 and status <> 'deleted'`;
const insertText = `insert into signal_streams
  (stream_id, addon_id, method, endpoint_url, authorization_header, status, reason, events_requested)
  values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8)`;

const insert = { name: 'ensure-signal-stream', text: `${insertText} on conflict do nothing` };
const upsert = statement('keep-signal-stream')`
  ${insertText} on conflict (stream_id) do update set
  method = excluded.method, endpoint_url = excluded.endpoint_url,
  authorization_header = excluded.authorization_header, status = excluded.status, reason = excluded.reason,
  events_requested = excluded.events_requested,
  failing_since = case when excluded.method = 'push' and excluded.status <> 'disabled'
                       then signal_streams.failing_since end`;
// Only what is offered was pushed; what waits behind it may be half a million SETs.
const beginAgain = statement('signal-pushes-begin-again')`
  update signal_sets set attempts = 0, failing_since = null, due_at = null
  where stream_id = $1 and head and attempts > 0`;
const updateDeleted = statement('signal-stream-deleted')`
  update signal_streams set status = 'deleted', authorization_header = null, events_requested = '{}', deleted_at = $2
  where stream_id = $1`;
const deleteSets = statement('remove-sets-of-signal-stream')`delete from signal_sets where stream_id = $1`;
const deleteStreams = statement('remove-deleted-signal-streams')`
  delete from signal_streams where deleted_at < $1`;
const updateFailed = statement('signal-stream-failed')`
  update signal_streams set failing_since = coalesce(failing_since, $3), last_error = $2, last_error_at = $3
  where stream_id = $1 and revision is not distinct from $4`;
const updateRevision = statement('revision-of-signal-stream')`
  update signal_streams set revision = $2 where stream_id = $1`;
