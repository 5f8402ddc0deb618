import { isActive } from '../fence/fence-statement.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import { isLive, notEnded } from '../access/live-grants.ts';
import { unused } from '../access/list-grants.ts';
import type { AttentionReaders, PartnerChange } from '../read-models.ts';

/** What administrators should look at, for all their organizations in one statement each (PG-06). */
export const attentionReaders = (reader: PipelinedReader, now: () => number): AttentionReaders => ({
  activeAddons: (organizationIds, { since, countedSince }) =>
    reader.query({ name: 'active-addons', text: activeAddons }, [
      organizationIds,
      since,
      countedSince,
      now(),
    ]),
  partnerChanges: async (addonIds, since) => {
    type Row = Omit<PartnerChange, 'at'> & { readonly at: string };
    const statement = { name: 'partner-changes', text: partnerChanges };
    const rows = await reader.query<Row>(statement, [addonIds, since]);
    return rows.map((row) => ({ ...row, at: Number(row.at) }));
  },
  namesInUse: () => reader.query({ name: 'names-in-use', text: namesInUse }, []),
});

/** Active is what the fence says. Of an organization's unused grants, 1,000 are counted. */
const activeAddons = `
  select activations.organization_id as "organizationId", addons.addon_id as "addonId", addons.name, publisher,
         publisher_id as "publisherId", configuration_url as "configurationUrl", suspended, retired,
         activated_at::float8 as "activatedAt", coalesce(unused.count, 0) as "unusedGrants",
         (select count(*)::int from grants
          where grants.organization_id = activations.organization_id and grants.addon_id = addons.addon_id
            and grants.epoch = fence.epoch and ${notEnded} and ${isLive('$4')}) as "liveGrants"
  from activations
       join fence on fence.subject = 'activation:' || activations.organization_id || '.' || activations.addon_id
       join addons on addons.addon_id = activations.addon_id
       left join publisher_addons on publisher_addons.addon_id = addons.addon_id
       left join (
         select organization_id, addon_id, count(*)::int as count
         from unnest($1::text[]) as asked (id),
              lateral (select organization_id, addon_id from grants
                       where organization_id = asked.id and ${isLive('$4')} and ${unused('$2', '$3')}
                       limit 1000) as theirs
         group by 1, 2
       ) as unused on unused.organization_id = activations.organization_id and unused.addon_id = addons.addon_id
  where activations.organization_id = any($1::text[]) and ${isActive('activations.organization_id')}
  order by 1, 2`;

/** Who has left acted for the publisher before, and for another one that the add-on had then (FX-57). */
const everMembers = `
  select publisher_id, user_id, null::bigint as left_at from publisher_members
  union all select publisher_id, user_id, left_at from publisher_leaves`;
const isOfAddon = `
  publisher_id in (select publisher_id from publisher_addons where addon_id = history_references.id)`;
const isOperator = `
  exists (select from accounts where accounts.user_id = actor and (roles ? 'operator' or roles_by_claim ? 'operator'))`;

/**
 * The newest of each kind: approved proposals, and what a member of a publisher of the add-on did to its secrets, or the add-on itself to
 * where it is notified. By an index of these types.
 */
const partnerChanges = `
  select id as "addonId", type, max(created) as at
  from history_references
  where kind = 'addon' and id = any($1::text[]) and created > $2
    and type in ('AddonChangeApproved', 'AddonSecretAdded', 'AddonSecretRemoved', 'SignalStreamCreated', 'SignalStreamChanged')
    and case when type = 'AddonChangeApproved' then true
             when type like 'SignalStream%' then actor = 'addon:' || id
             else exists (select from (${everMembers}) as partners
                          where user_id = actor and coalesce(left_at >= created, true)
                            and (${isOfAddon} or not ${isOperator})) end
  group by 1, 2 order by 1, 3 desc`;

const namesInUse = `
  select 'addon' as kind, addon_id as id, name, coalesce(named_at, registered_at)::float8 as since from addons where not retired
  union all select 'publisher', publisher_id, name, created_at::float8 from publishers`;
