import { idOf } from '../../domain/kernel/stream-name.ts';
import { byName } from '../kernel/names.ts';
import { wordsIn } from '../kernel/name-words.ts';
import { columnsOf, defineProjection, type Tx } from '../follow/projection.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { NamedOrganization, ReadModels } from '../read-models.ts';

type Organization = {
  readonly organizationId: string;
  readonly name: string;
  readonly words: string;
  readonly createdAt: number;
};
type Change = {
  readonly name?: string;
  readonly externalId?: string;
  readonly closedAt?: number;
  readonly hidden?: boolean;
};
/** `since` null: not, or no longer, an administrator or auditor. */
type Appointed = {
  readonly organizationId: string;
  readonly userId: string;
  readonly since: number | null;
};
type Changes = {
  readonly created: Organization[];
  readonly changed: Map<string, Change>;
  readonly administrators: Map<string, Appointed>;
  readonly administratorsByClaim: Map<string, Appointed>;
  readonly auditors: Map<string, Appointed>;
};

const keep = (people: Map<string, Appointed>, appointed: Appointed) =>
  people.set(`${appointed.organizationId} ${appointed.userId}`, appointed);

const listOf = (changes: Changes, source: 'claim' | null) =>
  source === 'claim' ? changes.administratorsByClaim : changes.administrators;

const change = (changed: Map<string, Change>, stream: string, next: Change) =>
  changed.set(idOf(stream), { ...changed.get(idOf(stream)), ...next });

export const organizations = defineProjection<Changes>({
  name: 'organizations',
  empty: () => ({
    created: [],
    changed: new Map(),
    administrators: new Map(),
    administratorsByClaim: new Map(),
    auditors: new Map(),
  }),
  on: {
    OrganizationCreated: ({ created }, { organizationId, name, at }) => {
      created.push({ organizationId, name, words: wordsIn(name), createdAt: at });
    },
    OrganizationRenamed: ({ changed }, { name }, { stream }) => {
      change(changed, stream, { name });
    },
    OrganizationExternalIdSet: ({ changed }, { externalId }, { stream }) => {
      change(changed, stream, { externalId });
    },
    OrganizationShownToPublishers: ({ changed }, { shown }, { stream }) => {
      change(changed, stream, { hidden: !shown });
    },
    OrganizationClosed: ({ changed }, { at }, { stream }) => {
      change(changed, stream, { closedAt: at });
    },
    AdministratorAdded: (changes, { userId, source, at }, event) => {
      keep(listOf(changes, source), { organizationId: idOf(event.stream), userId, since: at });
    },
    AdministratorRemoved: (changes, { userId, source }, event) => {
      keep(listOf(changes, source), { organizationId: idOf(event.stream), userId, since: null });
    },
    AuditorAdded: ({ auditors }, { userId, at }, event) => {
      keep(auditors, { organizationId: idOf(event.stream), userId, since: at });
    },
    AuditorRemoved: ({ auditors }, { userId }, event) => {
      keep(auditors, { organizationId: idOf(event.stream), userId, since: null });
    },
  },
  async write(tx, { created, changed, administrators, administratorsByClaim, auditors }) {
    if (created.length > 0)
      await tx.query(insertOrganizations, [
        ...columnsOf(created, ['organizationId', 'name', 'words', 'createdAt']),
      ]);
    if (changed.size > 0) await tx.query(updateOrganizations, valuesOf(changed));
    await replace(tx, 'administrators', [...administrators.values()]);
    await replace(tx, 'administrators_by_claim', [...administratorsByClaim.values()]);
    await replace(tx, 'auditors', [...auditors.values()]);
  },
});

type People = 'administrators' | 'administrators_by_claim' | 'auditors';

const replace = async (tx: Tx, table: People, changed: readonly Appointed[]) => {
  if (changed.length === 0) return;
  await tx.query(deleteFrom(table), [...columnsOf(changed, ['organizationId', 'userId'])]);
  const added = changed.filter(({ since }) => since !== null);
  await tx.query(insertInto(table), [...columnsOf(added, ['organizationId', 'userId', 'since'])]);
};

const insertOrganizations = `
  insert into organizations (organization_id, name, words, created_at)
  select organization_id, name, words::text[], created_at
  from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as made (organization_id, name, words, created_at)
  on conflict do nothing`;

const valuesOf = (changed: ReadonlyMap<string, Change>): unknown[] => {
  const rows = [...changed].map(([organizationId, { name, externalId, closedAt, hidden }]) => ({
    organizationId,
    name: name ?? null,
    words: name === undefined ? null : wordsIn(name),
    externalId: externalId ?? null,
    closedAt: closedAt ?? null,
    hidden: hidden ?? null,
  }));
  return [...columnsOf(rows, ['organizationId', 'name', 'words', 'externalId', 'closedAt', 'hidden'])];
};

/** An external id that was taken away is empty, and no event opens a closed organization: null is "not changed". */
const updateOrganizations = `
  update organizations set
    name = coalesce(change.name, organizations.name), words = coalesce(change.words::text[], organizations.words),
    external_id = nullif(coalesce(change.external_id, organizations.external_id), ''),
    closed_at = coalesce(change.closed_at, organizations.closed_at), hidden = coalesce(change.hidden, organizations.hidden)
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bool[])
    as change (organization_id, name, words, external_id, closed_at, hidden)
  where organizations.organization_id = change.organization_id`;

const deleteFrom = (table: string) => `
  delete from ${table} using unnest($1::text[], $2::text[]) as change (organization_id, user_id)
  where ${table}.organization_id = change.organization_id and ${table}.user_id = change.user_id`;

const insertInto = (table: string) => `
  insert into ${table} (organization_id, user_id, since)
  select * from unnest($1::text[], $2::text[], $3::bigint[])`;

const named = (rows: readonly NamedOrganization[]) => byName(rows, ({ organizationId }) => organizationId);

export const readOrganizationsAdministeredBy =
  (reader: PipelinedReader) =>
  async (userId: string): Promise<readonly NamedOrganization[]> =>
    named(
      await reader.query<NamedOrganization>({ name: 'organizations-administered-by', text: administeredBy }, [
        userId,
      ]),
    );

/** By name. The caller asks `isAuditor`, which reads the log, whether the user may read one. */
export const readOrganizationsAuditedBy =
  (reader: PipelinedReader) =>
  async (userId: string): Promise<readonly NamedOrganization[]> =>
    named(
      await reader.query<NamedOrganization>({ name: 'organizations-audited-by', text: auditedBy }, [userId]),
    );

const auditedBy = `
  select organization_id as "organizationId", name
  from auditors join organizations using (organization_id)
  where user_id = $1`;

const administeredBy = `
  select organization_id as "organizationId", name
  from organizations
  where organization_id in (
    select organization_id from administrators where user_id = $1
    union select organization_id from administrators_by_claim where user_id = $1)`;

export const readOrganization =
  (reader: PipelinedReader): ReadModels['organization'] =>
  async (organizationId) => {
    type Found = NonNullable<Awaited<ReturnType<ReadModels['organization']>>>;
    const statement = { name: 'organization', text: oneOrganization };
    return (await reader.query<Found>(statement, [organizationId]))[0] ?? null;
  };

const oneOrganization = `
  select organization_id as "organizationId", name, external_id as "externalId", closed_at is not null as "isClosed"
  from organizations where organization_id = $1`;
