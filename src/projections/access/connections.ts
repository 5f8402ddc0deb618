import { columnsOf, type Tx } from '../follow/projection.ts';

/** A batch's changes to a grant as they are counted; the terms are set with its first event. */
export type CountedChange = {
  readonly grantId: string;
  readonly addonId?: string;
  readonly userId?: string;
  readonly organizationId?: string | null;
  readonly epoch?: number;
  readonly scopes?: string;
  readonly status?: 'issued' | 'redeemed' | 'ended';
  readonly redeemedAt?: number;
  readonly refreshedAt?: number;
};

/** How many grants each approval has, for receipts: one statement a batch, before that of the grants, whose old state it needs. */
export const moveConnections = async (tx: Tx, changes: readonly CountedChange[]): Promise<void> => {
  const ofOrganizations = changes.filter(({ organizationId }) => organizationId !== null);
  if (ofOrganizations.length === 0) return;
  const values = columnsOf(ofOrganizations, [
    'grantId',
    'addonId',
    'userId',
    'organizationId',
    'epoch',
    'scopes',
    'status',
    'redeemedAt',
    'refreshedAt',
  ]);
  await tx.query({ name: 'move-connections', text: statement, values: [...values] });
};

/**
 * A grant that is not in the table of grants, or that is a user's own, has no organization here and is left out. A grant begins once:
 * a repeated beginning changes nothing.
 */
const statement = `
  insert into connections (organization_id, addon_id, epoch, user_id, scopes, unredeemed, live, last_token_at)
  select organization_id, addon_id, epoch, user_id, scopes, sum(unredeemed), sum(live), max(token_at)
  from (
    select coalesce(change.organization_id, was.organization_id) as organization_id,
           coalesce(change.addon_id, was.addon_id) as addon_id,
           coalesce(change.epoch, was.epoch) as epoch,
           coalesce(change.user_id, was.user_id) as user_id,
           (select coalesce(string_agg(scope, ' ' order by scope collate "C"), '')
            from jsonb_array_elements_text(coalesce(change.scopes, was.scopes)) as scope) as scopes,
           (coalesce(change.status, was.status) = 'issued')::int - coalesce((was.status = 'issued')::int, 0) as unredeemed,
           (coalesce(change.status, was.status) = 'redeemed')::int - coalesce((was.status = 'redeemed')::int, 0) as live,
           greatest(change.redeemed_at, change.refreshed_at) as token_at
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::jsonb[], $7::text[], $8::bigint[], $9::bigint[])
           as change (grant_id, addon_id, user_id, organization_id, epoch, scopes, status, redeemed_at, refreshed_at)
         left join grants as was on was.grant_id = change.grant_id
    where change.addon_id is null or was.grant_id is null
  ) as moved
  where organization_id is not null
  group by organization_id, addon_id, epoch, user_id, scopes
  on conflict (organization_id, addon_id, epoch, user_id, scopes) do update set
    unredeemed = connections.unredeemed + excluded.unredeemed,
    live = connections.live + excluded.live,
    last_token_at = greatest(connections.last_token_at, excluded.last_token_at)`;
