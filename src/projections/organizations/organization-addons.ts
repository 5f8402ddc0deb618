import { byName } from '../kernel/names.ts';
import type { CountLiveGrants } from '../history/begin-count.ts';
import { heldBy, presentConnections, timeOf, type StoredConnections } from '../access/connections-of.ts';
import { isActive } from '../fence/fence-statement.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { OrganizationAddon } from '../read-models.ts';

const held = (now: string) => heldBy(['$1', 'activations.addon_id', 'activations.epoch'], now);

type Instant = string | null;
type Stored = Omit<OrganizationAddon, 'activatedAt' | 'deactivatedAt' | keyof StoredConnections> &
  StoredConnections & { readonly activatedAt: Instant; readonly deactivatedAt: Instant };

/** All add-ons by name, with the current epoch's sums; no resource servers, which nobody can allow anything. Active is what the fence says. */
export const readAddonsOf =
  (reader: PipelinedReader, now: () => number) =>
  async (organizationId: string): Promise<readonly OrganizationAddon[]> =>
    byName(
      await reader.query<Stored>({ name: 'addons-of', text: addonsOf }, [organizationId, now()]),
      ({ addonId }) => addonId,
    ).map((row) => ({
      ...presentConnections(row),
      activatedAt: timeOf(row.activatedAt),
      deactivatedAt: timeOf(row.deactivatedAt),
    }));

const addonsOf = `
  select addons.addon_id as "addonId", addons.name, configuration_url as "configurationUrl",
         allowed_scopes as "allowedScopes", suspended, retired, publisher, has_logo as "hasLogo",
         case when ${isActive('$1')} then 'active' when fence.open is null then 'never-activated' else 'deactivated' end as status,
         coalesce(fence.epoch, 0) as epoch, revoked_grants as "revokedGrants",
         activated_by as "activatedBy", activator.name as "activatedByName", activated_at as "activatedAt",
         deactivated_by as "deactivatedBy", deactivator.name as "deactivatedByName", deactivated_at as "deactivatedAt",
         held.*
  from addons
       left join fence on fence.subject = 'activation:' || $1 || '.' || addons.addon_id
       left join activations on activations.addon_id = addons.addon_id and activations.organization_id = $1
                             and activations.epoch = fence.epoch
       left join accounts as activator on activator.user_id = activated_by
       left join accounts as deactivator on deactivator.user_id = deactivated_by
       left join lateral (${held('$2')}) as held on true
  where redirect_uris <> '[]'`;

/** The counts of an activation's epoch as the read models know it; null before the first. */
export const countLiveGrants =
  (reader: PipelinedReader, now: () => number): CountLiveGrants =>
  async (organizationId, addonId) => {
    type Counted = NonNullable<Awaited<ReturnType<CountLiveGrants>>>;
    const statement = { name: 'count-live-grants', text: liveGrantsCounted };
    return (await reader.query<Counted>(statement, [organizationId, addonId, now()]))[0] ?? null;
  };

const liveGrantsCounted = `
  select activations.epoch, held."liveGrants", held."unredeemedCodes", held.approvers
  from activations, lateral (${held('$3')}) as held
  where activations.organization_id = $1 and activations.addon_id = $2`;
