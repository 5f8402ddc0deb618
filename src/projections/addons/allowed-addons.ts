import { byName } from '../kernel/by-name.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { AllowedAddon, ReadModels } from '../read-models.ts';
import { readScopes } from '../access/stored-scopes.ts';

type Stored = Omit<AllowedAddon, 'scopes' | 'allowedAt' | 'firstTokenAt' | 'renewedAt'> & {
  readonly scopes: readonly string[];
  readonly allowedAt: string;
  readonly firstTokenAt: string | null;
  readonly renewedAt: string | null;
};

/**
 * What the user has approved for the user's own data and what is still valid, by the same rule as the fence. Approvals
 * for organizations are not included.
 */
export const readAddonsAllowedBy =
  (reader: PipelinedReader): ReadModels['addonsAllowedBy'] =>
  async (userId) => {
    const rows = await reader.query<Stored>({ name: 'addons-allowed-by', text: addonsAllowedBy }, [userId]);
    return byName(rows, ({ addonId }) => addonId).map((row) => ({
      ...row,
      scopes: readScopes(row.scopes),
      allowedAt: timeOf(row.allowedAt),
      firstTokenAt: timeOrNull(row.firstTokenAt),
      renewedAt: timeOrNull(row.renewedAt),
    }));
  };

const timeOrNull = (instant: string | null): string | null => (instant === null ? null : timeOf(instant));
const timeOf = (instant: string): string => new Date(Number(instant)).toISOString();

const addonsAllowedBy = `
  select addon_id as "addonId", name, suspended, retired, scopes || coalesce(identity, '[]') as scopes,
         approved_at as "allowedAt",
         "firstTokenAt", "renewedAt"
  from consents join addons using (addon_id),
       lateral (select min(redeemed_at) as "firstTokenAt", max(refreshed_at) as "renewedAt" from grants
                where grants.user_id = $1 and grants.addon_id = addons.addon_id and organization_id is null) as tokens
  where subject_id = $1 and user_id = $1
    and epoch = (select coalesce(sum(fence.epoch), 0) from fence
                 where subject in ('account:' || $1, 'consent:' || $1 || '.' || addon_id))`;
