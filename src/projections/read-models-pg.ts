import { readAccessRights } from './access-rights.ts';
import { readAddons } from './addons.ts';
import { readNamesOf } from './accounts.ts';
import { readProfilesOfUser } from './profiles-of-user.ts';
import { readAddonsAllowedBy } from './allowed-addons.ts';
import { beginCount } from './begin-count.ts';
import { readApprovals, readConnections } from './connections-of.ts';
import { readJudgement } from './fence.ts';
import { countLiveGrants, readAddonsOf } from './organization-addons.ts';
import { readGrants } from './list-grants.ts';
import {
  readOrganization,
  readOrganizationsAdministeredBy,
  readOrganizationsAuditedBy,
} from './organizations.ts';
import { readProfiles } from './profiles.ts';
import type { ReadProgress } from './progress.ts';
import type { ReadLane } from './read-lane.ts';
import type { ReadModels } from './read-models.ts';
import { readReservations } from './reservations.ts';
import { readUserInfo } from './user-info.ts';

export type ReadModelsNeeds = {
  readonly lane: ReadLane;
  /** For what tokens hang on, where it is another one. */
  readonly guarded?: ReadLane;
  readonly progress: ReadProgress;
};

/** The read side over Postgres. */
export const makeReadModels = ({ lane, guarded = lane, progress }: ReadModelsNeeds): ReadModels => ({
  accessRights: readAccessRights(guarded),
  profiles: readProfiles(guarded),
  reservations: readReservations(guarded),
  organizationsAdministeredBy: readOrganizationsAdministeredBy(lane),
  organizationsAuditedBy: readOrganizationsAuditedBy(lane),
  organization: readOrganization(lane),
  addonsOf: readAddonsOf(lane),
  connections: readConnections(lane),
  approvals: readApprovals(lane),
  namesOf: readNamesOf(lane),
  profilesOfUser: readProfilesOfUser(lane),
  addonsAllowedBy: readAddonsAllowedBy(lane),
  addons: readAddons(lane),
  grants: readGrants(lane),
  beginCount: beginCount(countLiveGrants(lane)),
  judge: readJudgement(guarded),
  userInfo: readUserInfo(guarded),
  checkpoint: () => progress.checkpoint(),
  waitFor: (position, timeoutMs, signal) => progress.waitFor(position, timeoutMs, signal),
});
