import { statement } from '../common/transaction.ts';
import type { Position } from '../eventstore/event-store.ts';
import type { PipelinedReader } from '../projections/database/pipelined-reader.ts';
import type { Queue } from './set-draft.ts';

export type ToldSet = {
  readonly position: Position;
  readonly queue: Queue;
  readonly addonId: string;
  readonly type: string;
  readonly jti: string;
  /** `refused`: the receiver reported an error (`setErrs`), which ends it as well. */
  readonly state: 'waiting' | 'acknowledged' | 'refused';
  /** When the receiver last acknowledged or refused it, also where it waits again since (a replay). */
  readonly acknowledgedAt: Date | null;
};

/** The SETs of events, as long as they are kept; the SETs of one event are in their order. */
export type ReadTold = (positions: readonly Position[]) => Promise<readonly ToldSet[]>;

type Row = Omit<ToldSet, 'position'> & { readonly commit: string; readonly prepare: string };

export const readTold =
  (reader: Pick<PipelinedReader, 'query'>): ReadTold =>
  async (positions) => {
    if (positions.length === 0) return [];
    const values = [positions.map(({ commit }) => commit), positions.map(({ prepare }) => prepare)];
    return (await reader.query<Row>(selectTold, values)).map(({ commit, prepare, ...set }) => ({
      ...set,
      position: { commit: BigInt(commit), prepare: BigInt(prepare) },
    }));
  };

const selectTold = statement('told-of-events')`
  select commit_position as commit, prepare_position as prepare, queue, addon_id as "addonId",
         (select type from jsonb_object_keys(claims->'events') as type) as type, jti,
         case when waiting then 'waiting' when receiver_error is null then 'acknowledged' else 'refused' end as state,
         acknowledged_at as "acknowledgedAt"
  from unnest($1::bigint[], $2::bigint[]) as places (commit_position, prepare_position)
  join signal_sets using (commit_position, prepare_position)
  join signal_streams using (stream_id)
  order by commit, prepare, part`;
