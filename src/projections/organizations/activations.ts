import { idsOf } from '../../domain/kernel/stream-name.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import { columnsOf, defineProjection } from '../follow/projection.ts';
import type { ReadModels } from '../read-models.ts';

/** `changed`: commit position from which on users' lists have the organization's records, or no longer; 0: always. */
type Activated = {
  readonly epoch: number;
  readonly by: string;
  readonly at: number;
  readonly changed: bigint;
};
type Deactivated = { readonly by: string; readonly at: number; readonly changed: bigint };
/** The changes of a batch to one activation. A new epoch discards what the batch had for the previous one. */
type Change = {
  readonly organizationId: string;
  readonly addonId: string;
  readonly activated?: Activated;
  readonly deactivated?: Deactivated;
  readonly completed?: { readonly epoch: number; readonly grants: number };
};
type Changes = Map<string, Change>;

const change = (changes: Changes, organizationId: string, addonId: string, next: Partial<Change>) => {
  const key = `${organizationId}.${addonId}`;
  const before = next.activated ? {} : changes.get(key);
  changes.set(key, { ...before, organizationId, addonId, ...next });
};

/** Which add-ons are active for which organization, and who activated and deactivated them last. */
export const activations = defineProjection<Changes>({
  name: 'activations',
  empty: () => new Map(),
  on: {
    AddonActivated: (changes, { organizationId, addonId, epoch, by, at }, { position }) => {
      const changed = epoch === 1 ? 0n : position.commit; // before the first, users' lists have them, too (AC-02)
      change(changes, organizationId, addonId, { activated: { epoch, by, at, changed } });
    },
    AddonDeactivated: (changes, { organizationId, addonId, by, at }, { position }) => {
      change(changes, organizationId, addonId, { deactivated: { by, at, changed: position.commit } });
    },
    RevocationCompleted: (changes, { epoch, grants }, event) => {
      change(changes, ...idsOf(event.stream), { completed: { epoch, grants } });
    },
  },
  async write(tx, changes) {
    const all = [...changes.values()];
    const begun = all.flatMap(({ organizationId, addonId, activated }) =>
      activated ? [{ organizationId, addonId, ...activated }] : [],
    );
    const closed = all.flatMap(({ organizationId, addonId, deactivated }) =>
      deactivated ? [{ organizationId, addonId, ...deactivated }] : [],
    );
    const revoked = all.flatMap(({ organizationId, addonId, completed }) =>
      completed ? [{ organizationId, addonId, ...completed }] : [],
    );
    if (begun.length > 0)
      await tx.query(activate, [
        ...columnsOf(begun, ['organizationId', 'addonId', 'epoch', 'by', 'at', 'changed']),
      ]);
    if (closed.length > 0)
      await tx.query(deactivate, [
        ...columnsOf(closed, ['organizationId', 'addonId', 'by', 'at', 'changed']),
      ]);
    if (revoked.length > 0)
      await tx.query(complete, [...columnsOf(revoked, ['organizationId', 'addonId', 'epoch', 'grants'])]);
  },
});

const activate = `
  insert into activations (organization_id, addon_id, epoch, active, activated_by, activated_at, changed)
  select organization_id, addon_id, epoch, true, by, at, changed
  from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::bigint[], $6::bigint[])
    as change (organization_id, addon_id, epoch, by, at, changed)
  on conflict (organization_id, addon_id) do update set
    epoch = excluded.epoch, active = true, activated_by = excluded.activated_by, activated_at = excluded.activated_at,
    changed = excluded.changed,
    deactivated_by = null, deactivated_at = null, revoked_grants = null`;

const deactivate = `
  update activations set active = false, deactivated_by = change.by, deactivated_at = change.at, changed = change.changed
  from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
    as change (organization_id, addon_id, by, at, changed)
  where activations.organization_id = change.organization_id and activations.addon_id = change.addon_id`;

/** The reaction may finish an epoch's grants when the next epoch has already begun. */
const complete = `
  update activations set revoked_grants = change.grants
  from unnest($1::text[], $2::text[], $3::int[], $4::int[]) as change (organization_id, addon_id, epoch, grants)
  where activations.organization_id = change.organization_id and activations.addon_id = change.addon_id
    and activations.epoch = change.epoch`;

export const readAddonsActivatedFor =
  (reader: PipelinedReader): ReadModels['addonsActivatedFor'] =>
  async (organizationId) => {
    const statement = { name: 'addons-activated-for', text: addonsActivatedFor };
    const rows = await reader.query<{ readonly addonId: string }>(statement, [organizationId]);
    return rows.map(({ addonId }) => addonId);
  };

const addonsActivatedFor = `
  select addon_id as "addonId" from activations where organization_id = $1 order by addon_id`;
