import { columnsOf, defineProjection, idOf } from './projection.ts';
import type { ReadLane } from './read-lane.ts';

type Organization = { readonly organizationId: string; readonly name: string; readonly createdAt: number };
/** `since` null: not an administrator (any more). */
type Administrator = {
  readonly organizationId: string;
  readonly userId: string;
  readonly since: number | null;
};
type Changes = { readonly created: Organization[]; readonly administrators: Map<string, Administrator> };

const keep = ({ administrators }: Changes, administrator: Administrator) =>
  administrators.set(`${administrator.organizationId} ${administrator.userId}`, administrator);

/** Organizations and who administers them. */
export const organizations = defineProjection<Changes>({
  name: 'organizations',
  empty: () => ({ created: [], administrators: new Map() }),
  on: {
    OrganizationCreated: ({ created }, { organizationId, name, at }) => {
      created.push({ organizationId, name, createdAt: at });
    },
    AdministratorAdded: (changes, { userId, at }, event) => {
      keep(changes, { organizationId: idOf(event), userId, since: at });
    },
    AdministratorRemoved: (changes, { userId }, event) => {
      keep(changes, { organizationId: idOf(event), userId, since: null });
    },
  },
  async write(tx, { created, administrators }) {
    if (created.length > 0)
      await tx.query(insertOrganizations, [...columnsOf(created, ['organizationId', 'name', 'createdAt'])]);
    if (administrators.size === 0) return;
    const changed = [...administrators.values()];
    await tx.query(deleteAdministrators, [...columnsOf(changed, ['organizationId', 'userId'])]);
    const added = changed.filter(({ since }) => since !== null);
    await tx.query(insertAdministrators, [...columnsOf(added, ['organizationId', 'userId', 'since'])]);
  },
});

const insertOrganizations = `
  insert into organizations (organization_id, name, created_at)
  select * from unnest($1::text[], $2::text[], $3::bigint[])`;

const deleteAdministrators = `
  delete from administrators using unnest($1::text[], $2::text[]) as change (organization_id, user_id)
  where administrators.organization_id = change.organization_id and administrators.user_id = change.user_id`;

const insertAdministrators = `
  insert into administrators (organization_id, user_id, since)
  select * from unnest($1::text[], $2::text[], $3::bigint[])`;

type Named = { readonly organizationId: string; readonly name: string };

/** By name. */
export const readOrganizationsAdministeredBy =
  (lane: ReadLane) =>
  (userId: string): Promise<readonly Named[]> =>
    lane.query({ name: 'organizations-administered-by', text: administeredBy }, [userId]);

const administeredBy = `
  select organization_id as "organizationId", name
  from administrators join organizations using (organization_id)
  where user_id = $1 order by name, organization_id`;

export const readOrganization =
  (lane: ReadLane) =>
  async (organizationId: string): Promise<Named | null> =>
    (await lane.query<Named>({ name: 'organization', text: oneOrganization }, [organizationId]))[0] ?? null;

const oneOrganization = `
  select organization_id as "organizationId", name from organizations where organization_id = $1`;
