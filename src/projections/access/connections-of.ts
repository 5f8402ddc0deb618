import { statement } from '../../common/transaction.ts';
import { scopesAmong } from '../../domain/access/scope.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { Approval, Connections, ReadModels } from '../read-models.ts';
import { liveCounts } from './live-grants.ts';

/** `scopes` are scopes parted by spaces; an instant is a bigint as text. */
export type StoredConnections = {
  readonly liveGrants: number;
  readonly unredeemedCodes: number;
  readonly scopes: string;
  readonly lastTokenAt: string | null;
};

export const presentConnections = <Row extends StoredConnections>(
  row: Row,
): Omit<Row, 'scopes' | 'lastTokenAt'> & Pick<Connections, 'scopes' | 'lastTokenAt'> => ({
  ...row,
  scopes: scopesAmong(row.scopes.split(' ')),
  lastTokenAt: timeOf(row.lastTokenAt),
});

export const timeOf = (instant: string | null): string | null =>
  instant === null ? null : new Date(Number(instant)).toISOString();

/** SQL for what there is of an epoch: its live grants, and what its grants ever had. One row, even when there are none. */
export const heldBy = (
  [organization, addon, epoch]: readonly [string, string, string],
  now: string,
): string => {
  const ofEpoch = `organization_id = ${organization} and addon_id = ${addon} and epoch = ${epoch}`;
  return `
  select live.*, known.*
  from (${liveCounts(ofEpoch, now)}) as live,
       (select max(last_token_at) as "lastTokenAt", coalesce(sum(live + unredeemed), 0)::int as "notRevoked"
        from connections where ${ofEpoch}) as known`;
};

export const readConnections =
  (reader: PipelinedReader, now: () => number): ReadModels['connections'] =>
  async (...activation) => {
    type Stored = StoredConnections & { readonly approvers: number; readonly notRevoked: number };
    const [row] = await reader.query<Stored>(connections, [...activation, now()]);
    return row ? presentConnections(row) : null;
  };

const connections = statement('connections')`
  select held.* from activations, lateral (${heldBy(['$1', '$2', '$3'], '$4')}) as held
  where activations.organization_id = $1 and activations.addon_id = $2 and activations.epoch >= $3`;

export const readApprovals =
  (reader: PipelinedReader, now: () => number): ReadModels['approvals'] =>
  async (...activation): Promise<readonly Approval[]> => {
    type Stored = StoredConnections & { readonly userId: string; readonly name: string | null };
    return (await reader.query<Stored>(approvals, [...activation, now()])).map(presentConnections);
  };

const approvals = statement('approvals')`
  select approved."userId", name, "liveGrants", "unredeemedCodes", approved.scopes, "lastTokenAt"
  from (
    select user_id as "userId", string_agg(distinct scopes, ' ') as scopes, max(last_token_at) as "lastTokenAt"
    from connections where organization_id = $1 and addon_id = $2 and epoch = $3
    group by user_id order by max(last_token_at) desc nulls last, user_id
    limit 100
  ) as approved
  left join accounts on accounts.user_id = approved."userId",
  lateral (${liveCounts(`organization_id = $1 and addon_id = $2 and epoch = $3 and user_id = approved."userId"`, '$4')}) as live
  order by "lastTokenAt" desc nulls last, "userId"`;
