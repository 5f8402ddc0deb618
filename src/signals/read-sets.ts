import type { QueryResultRow } from 'pg';
import { countFailing } from '../projections/operations/database-status.ts';
import type { Named } from '../projections/database/pipelined-reader.ts';
import type { Queue, StoredClaims } from './set-draft.ts';

type Query = <R extends QueryResultRow>(
  statement: Named,
  values: readonly unknown[],
) => Promise<readonly R[]>;

export type OfferedSet = { readonly jti: string; readonly claims: StoredClaims };

/** How the delivery of a stream stands. Times are milliseconds since the Unix epoch. */
export type Standing = {
  readonly streamId: string;
  readonly waiting: number;
  readonly oldestWaitingAt: number | null;
  readonly delivered: number;
  readonly lastDeliveredAt: number | null;
  /** Of pushes: since when none has worked; null when the last one did, and for polls. */
  readonly failingSince: number | null;
  /** Of a push, or what the receiver reported in place of an acknowledgement. */
  readonly lastError: string | null;
  readonly lastErrorAt: number | null;
};

/** How the delivery of what one queue of a stream holds stands, as long as it is kept. */
export type QueueStanding = Pick<
  Standing,
  'waiting' | 'oldestWaitingAt' | 'delivered' | 'lastDeliveredAt' | 'lastError'
>;

/** What the streams' tables say, on any instance. */
export const makeReadSets = (query: Query) => ({
  /** The oldest first, one of each queue. */
  offered: (streamId: string, most: number): Promise<readonly OfferedSet[]> =>
    query<OfferedSet>(selectOffered, [streamId, most]),
  /** Of each method: how long ago the oldest event was stored that its enabled streams still offer, in seconds. */
  lags: async (): Promise<Readonly<Record<'poll' | 'push', number>>> => {
    const rows = await query<{ readonly method: 'poll' | 'push'; readonly seconds: number }>(selectLags, []);
    return { poll: 0, push: 0, ...Object.fromEntries(rows.map(({ method, seconds }) => [method, seconds])) };
  },
  /** How many streams there are whose last push did not work, paused ones too. */
  failingEndpoints: async (): Promise<number> => {
    const statement = { name: 'failing-signal-endpoints', text: countFailing };
    const [row] = await query<{ readonly endpoints: number }>(statement, []);
    return row?.endpoints ?? 0;
  },
  /** Those of the add-ons whose last push did not work. */
  failingAmong: async (addonIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const rows = await query<{ readonly addon_id: string }>(selectFailing, [addonIds]);
    return new Set(rows.map(({ addon_id: addonId }) => addonId));
  },
  ofQueue: async (streamId: string, queue: Queue): Promise<QueueStanding> => {
    const [row] = await query<Omit<StandingRow, 'stream_id'>>(selectQueue, [streamId, queue]);
    return {
      waiting: Number(row?.waiting ?? 0),
      oldestWaitingAt: row?.oldest?.getTime() ?? null,
      delivered: Number(row?.delivered ?? 0),
      lastDeliveredAt: row?.last_delivered_at?.getTime() ?? null,
      lastError: row?.last_error ?? null,
    };
  },
  /** In no order; a stream that the worker has not seen yet is left out. */
  standings: async (streamIds: readonly string[]): Promise<readonly Standing[]> =>
    (await query<StandingRow>(selectStandings, [streamIds])).map((row) => ({
      streamId: row.stream_id,
      waiting: Number(row.waiting),
      oldestWaitingAt: row.oldest?.getTime() ?? null,
      delivered: Number(row.delivered),
      lastDeliveredAt: row.last_delivered_at?.getTime() ?? null,
      failingSince: row.failing_since?.getTime() ?? null,
      lastError: row.last_error,
      lastErrorAt: row.last_error_at?.getTime() ?? null,
    })),
});

type StandingRow = {
  readonly stream_id: string;
  readonly waiting: string;
  readonly oldest: Date | null;
  readonly delivered: string;
  readonly last_delivered_at: Date | null;
  readonly failing_since: Date | null;
  readonly last_error: string | null;
  readonly last_error_at: Date | null;
};

const selectOffered = {
  name: 'offered-signal-sets',
  text: `select jti, claims from signal_sets where stream_id = $1 and head
         order by commit_position, prepare_position, part limit $2`,
};
const selectLags = {
  name: 'signal-lags',
  text: `select method, greatest(0, extract(epoch from now() - min(at)))::float8 as seconds
         from signal_streams join signal_sets using (stream_id) where head and status = 'enabled' group by method`,
};
const selectFailing = {
  name: 'failing-among-addons',
  text: `select addon_id from signal_streams
         where failing_since is not null and status <> 'deleted' and addon_id = any($1)`,
};
const selectQueue = {
  name: 'signal-queue-standing',
  text: `select count(*) filter (where waiting) as waiting, min(at) filter (where waiting) as oldest,
                count(acknowledged_at) as delivered, max(acknowledged_at) as last_delivered_at,
                coalesce(min(last_error) filter (where head),
                  (array_agg(receiver_error order by acknowledged_at desc) filter (where not waiting))[1]) as last_error
         from signal_sets where stream_id = $1 and queue = $2`,
};
const selectStandings = {
  name: 'signal-stream-standings',
  text: `select stream_id, waiting, oldest, delivered, last_delivered_at, failing_since, last_error, last_error_at
         from signal_streams, lateral (
           select count(*) as waiting, min(at) as oldest from signal_sets
           where signal_sets.stream_id = signal_streams.stream_id and signal_sets.waiting) counted
         where stream_id = any($1)`,
};
