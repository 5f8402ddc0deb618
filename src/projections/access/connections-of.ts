import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { Approval, Connections, ReadModels } from '../read-models.ts';
import { readScopes } from './stored-scopes.ts';

/** `scopes` are some of the table's scope strings, one after the other; an instant is a bigint as text. */
export type StoredConnections = {
  readonly liveGrants: number;
  readonly unredeemedCodes: number;
  readonly scopes: string;
  readonly lastTokenAt: string | null;
};

/** Sums and the newest instant of some rows of `connections`; `live` selects the rows whose scopes count. */
export const sums = (live: string): string => `
  coalesce(sum(live), 0)::int as "liveGrants", coalesce(sum(unredeemed), 0)::int as "unredeemedCodes",
  coalesce(string_agg(distinct connections.scopes, ' ') filter (where ${live}), '') as scopes,
  max(last_token_at) as "lastTokenAt"`;

export const approvers = `(count(distinct connections.user_id) filter (where live > 0))::int as approvers`;

export const presentConnections = <Row extends StoredConnections>(
  row: Row,
): Omit<Row, 'scopes' | 'lastTokenAt'> & Pick<Connections, 'scopes' | 'lastTokenAt'> => ({
  ...row,
  scopes: readScopes(row.scopes.split(' ')),
  lastTokenAt: timeOf(row.lastTokenAt),
});

export const timeOf = (instant: string | null): string | null =>
  instant === null ? null : new Date(Number(instant)).toISOString();

const ofEpoch = `connections.organization_id = $1 and connections.addon_id = $2 and connections.epoch = $3`;

export const readConnections =
  (reader: PipelinedReader): ReadModels['connections'] =>
  async (...activation) => {
    type Stored = StoredConnections & { readonly approvers: number };
    const statement = { name: 'connections', text: connections };
    const [row] = await reader.query<Stored>(statement, activation);
    return row ? presentConnections(row) : null;
  };

const connections = `
  select held.* from activations,
    lateral (select ${sums('live > 0')}, ${approvers} from connections where ${ofEpoch}) as held
  where activations.organization_id = $1 and activations.addon_id = $2 and activations.epoch >= $3`;

export const readApprovals =
  (reader: PipelinedReader): ReadModels['approvals'] =>
  async (...activation): Promise<readonly Approval[]> => {
    type Stored = StoredConnections & { readonly userId: string; readonly name: string | null };
    const rows = await reader.query<Stored>({ name: 'approvals', text: approvals }, activation);
    return rows.map(presentConnections);
  };

const approvals = `
  select connections.user_id as "userId", accounts.name, ${sums('true')}
  from connections left join accounts on accounts.user_id = connections.user_id
  where ${ofEpoch}
  group by connections.user_id, accounts.name
  order by max(last_token_at) desc nulls last, connections.user_id
  limit 100`;
