import { eachRecord } from '../domain/records/each-record.ts';
import { readApprovals, readConnections } from './access/connections-of.ts';
import { readNamesOfGrant } from './access/names-of-grant.ts';
import { countGrants, readGrants } from './access/list-grants.ts';
import { readAddons, readAddonIds, readAddonsApprovedBy } from './addons/addons.ts';
import type { PipelinedReader } from './database/pipelined-reader.ts';
import { readJudgement } from './fence/fence.ts';
import type { ReadProgress } from './follow/progress.ts';
import { beginCount } from './history/begin-count.ts';
import { readChoices, readNamed, readNames } from './kernel/names.ts';
import { makeListReader } from './lists/read/list-reader.ts';
import { readAddonsActivatedFor } from './organizations/activations.ts';
import { readOrganizations } from './organizations/list-organizations.ts';
import { attentionReaders } from './organizations/attention.ts';
import { countLiveGrants, readAddonsOf } from './organizations/organization-addons.ts';
import {
  readOrganization,
  readOrganizationsAdministeredBy,
  readOrganizationsAuditedBy,
} from './organizations/organizations.ts';
import { readNamesOf } from './people/accounts.ts';
import { readAdministratorOf, readUsers } from './people/list-users.ts';
import { publisherReaders } from './publishers/read-publishers.ts';
import type { ListReaders, ReadModels } from './read-models.ts';
import { readRefusals } from './usage-counts/read-refusals.ts';
import { readProfilesOfUser } from './records/known-records.ts';

export type ReadModelsDependencies = {
  readonly reader: PipelinedReader;
  /** For reads that tokens depend on, if it is another reader. */
  readonly guarded?: PipelinedReader;
  readonly progress: ReadProgress;
  readonly now: () => number;
};

const readLists = (reader: PipelinedReader): ListReaders =>
  eachRecord('key', ({ table }) => makeListReader(reader, table)) as ListReaders;

/** The read side over Postgres. */
export const makeReadModels = ({
  reader,
  guarded = reader,
  progress,
  now,
}: ReadModelsDependencies): ReadModels => ({
  ...readLists(guarded),
  ...publisherReaders(reader),
  ...attentionReaders(reader, now),
  organizationsAdministeredBy: readOrganizationsAdministeredBy(reader),
  organizationsAuditedBy: readOrganizationsAuditedBy(reader),
  organization: readOrganization(guarded),
  organizations: readOrganizations(reader),
  addonsActivatedFor: readAddonsActivatedFor(reader),
  addonsOf: readAddonsOf(reader, now),
  connections: readConnections(reader, now),
  approvals: readApprovals(reader, now),
  namesOf: readNamesOf(reader),
  names: readNames(reader),
  named: readNamed(reader),
  choices: readChoices(reader),
  profilesOfUser: readProfilesOfUser(reader),
  addonsApprovedBy: readAddonsApprovedBy(reader),
  addons: readAddons(reader),
  addonIds: readAddonIds(reader),
  refusals: readRefusals(reader),
  grants: readGrants(reader, now),
  countGrants: countGrants(reader, now),
  users: readUsers(reader),
  administratorOf: readAdministratorOf(reader),
  beginCount: beginCount(countLiveGrants(reader, now)),
  judge: readJudgement(guarded),
  namesOfGrant: readNamesOfGrant(guarded),
  checkpoint: () => progress.checkpoint(),
  waitFor: (position, timeoutMs, signal) => progress.waitFor(position, timeoutMs, signal),
});
