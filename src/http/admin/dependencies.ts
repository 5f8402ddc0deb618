import type { CommandsInContext } from '../../commands/commands.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { ReadModels } from '../../projections/read-models.ts';
import type { ManageStreams } from '../../signals/manage-streams.ts';
import type { Browser } from '../base/browser.ts';

export type AdminDependencies = {
  readonly browser: Browser;
  readonly commands: Pick<
    CommandsInContext,
    | 'activateAddon'
    | 'addonLogo'
    | 'deactivateAddon'
    | 'findAddon'
    | 'findSignalStream'
    | 'isAdministrator'
    | 'readAdministratorToken'
    | 'revokeGrantOfOrganization'
    | 'showActivation'
    | 'showGrant'
  >;
  readonly readModels: Pick<
    ReadModels,
    | 'addonsOf'
    | 'approvals'
    | 'beginCount'
    | 'connections'
    | 'grants'
    | 'namesOf'
    | 'organization'
    | 'organizationsAdministeredBy'
    | 'waitFor'
  >;
  readonly signalStreams: Pick<ManageStreams, 'standingFor' | 'standings'>;
  /** Since when the reads of add-ons are counted. */
  readonly readsCountedSince: () => Promise<Instant>;
};
