import { columnsOf, defineProjection, idOf } from './projection.ts';

/** What a batch says about one grant; the terms are there when the batch holds the beginning. */
type Change = {
  grantId: string;
  addonId?: string;
  userId?: string;
  organizationId?: string | null;
  epoch?: number;
  scopes?: string;
  status?: 'issued' | 'redeemed' | 'ended';
  tokenAt?: number;
};

type Changes = Map<string, Change>;

const changeOf = (changes: Changes, grantId: string): Change => {
  const change = changes.get(grantId) ?? { grantId };
  changes.set(grantId, change);
  return change;
};

const gotToken = (change: Change, at: number): void => {
  change.tokenAt = Math.max(change.tokenAt ?? at, at);
};

/**
 * How many grants each approval has behind it, for confirmations and receipts: to read it costs as much as there are
 * people who approved, however many tokens there are. A batch becomes one statement, which finds what the grants were
 * BEFORE the batch: it has to run ahead of the projection `grants`, in the same transaction. Whoever fills `grants` by hand
 * (a bench) fills this table with the `insert … select` at the end of 0007-connections.sql.
 */
export const connections = defineProjection<Changes>({
  name: 'connections',
  empty: () => new Map(),
  on: {
    AuthorizationCodeIssued: (changes, { grantId, addonId, userId, subject, scopes }) => {
      Object.assign(changeOf(changes, grantId), {
        addonId,
        userId,
        organizationId: subject.kind === 'organization' ? subject.organizationId : null,
        epoch: subject.epoch,
        scopes: scopes.toSorted().join(' '),
        status: 'issued',
      } satisfies Partial<Change>);
    },
    AuthorizationCodeRedeemed: (changes, { at }, event) => {
      const change = changeOf(changes, idOf(event));
      change.status = 'redeemed';
      gotToken(change, at);
    },
    TokensRefreshed: (changes, { at }, event) => {
      gotToken(changeOf(changes, idOf(event)), at);
    },
    GrantRevoked: (changes, _data, event) => {
      changeOf(changes, idOf(event)).status = 'ended';
    },
  },
  async write(tx, changes) {
    const all = [...changes.values()].filter(({ organizationId }) => organizationId !== null);
    if (all.length === 0) return;
    const values = columnsOf(all, [
      'grantId',
      'addonId',
      'userId',
      'organizationId',
      'epoch',
      'scopes',
      'status',
      'tokenAt',
    ]);
    await tx.query({ name: 'move-connections', text: moveConnections, values: [...values] });
  },
});

/** A grant that the table of grants has never heard of, or that is a user's own, has no organization here and falls out. */
const moveConnections = `
  insert into connections (organization_id, addon_id, epoch, user_id, scopes, unredeemed, live, last_token_at)
  select organization_id, addon_id, epoch, user_id, scopes, sum(unredeemed), sum(live), max(token_at)
  from (
    select coalesce(change.organization_id, was.organization_id) as organization_id,
           coalesce(change.addon_id, was.addon_id) as addon_id,
           coalesce(change.epoch, was.epoch) as epoch,
           coalesce(change.user_id, was.user_id) as user_id,
           coalesce(change.scopes, (select coalesce(string_agg(scope, ' ' order by scope collate "C"), '')
                                    from jsonb_array_elements_text(was.scopes) as scope)) as scopes,
           (coalesce(change.status, was.status) = 'issued')::int - coalesce((was.status = 'issued')::int, 0) as unredeemed,
           (coalesce(change.status, was.status) = 'redeemed')::int - coalesce((was.status = 'redeemed')::int, 0) as live,
           token_at
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[], $8::bigint[])
           as change (grant_id, addon_id, user_id, organization_id, epoch, scopes, status, token_at)
         left join grants as was on was.grant_id = change.grant_id
  ) as moved
  where organization_id is not null
  group by organization_id, addon_id, epoch, user_id, scopes
  on conflict (organization_id, addon_id, epoch, user_id, scopes) do update set
    unredeemed = connections.unredeemed + excluded.unredeemed,
    live = connections.live + excluded.live,
    last_token_at = greatest(connections.last_token_at, excluded.last_token_at)`;
