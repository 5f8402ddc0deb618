import { statement } from '../../common/transaction.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { ReadModels } from '../read-models.ts';
import type { Refusal } from './collect-refusals.ts';

export const readRefusals =
  (reader: PipelinedReader): ReadModels['refusals'] =>
  async (addonId, { after, limit }) => {
    type Row = Omit<Refusal, 'at'> & { readonly at: string };
    const rows = await reader.query<Row>(refusals, [addonId, after, limit]);
    return rows.map((row) => ({ ...row, at: Number(row.at) }));
  };

const refusals = statement('addon-refusals')`
  select refusal_id as "refusalId", addon_id as "addonId", at, endpoint, reason, network::text
  from addon_refusals where addon_id = $1 and ($2::text is null or refusal_id < $2)
  order by refusal_id desc limit $3`;
