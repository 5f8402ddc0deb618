import type { TimeProblem } from '../../audit/timeline/time-in-log.ts';
import type { Timeline } from '../../audit/timeline/timeline.ts';
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
    | 'recordAuditQuery'
    | 'revokeGrantOfOrganization'
    | 'showActivation'
    | 'showGrant'
    | 'userOfAddress'
  >;
  readonly readModels: Pick<
    ReadModels,
    | 'activeAddons'
    | 'addonsOf'
    | 'approvals'
    | 'beginCount'
    | 'connections'
    | 'grants'
    | 'named'
    | 'namesInUse'
    | 'namesOf'
    | 'organization'
    | 'organizationsAdministeredBy'
    | 'partnerChanges'
    | 'waitFor'
  >;
  readonly signalStreams: Pick<ManageStreams, 'failingAmong' | 'standingFor' | 'standings'>;
  /** Since when the reads of add-ons are counted. */
  readonly readsCountedSince: () => Promise<Instant>;
  readonly timeline: Timeline;
  /** Why there is no answer for a time of the log; null if there is one. @param time milliseconds since the Unix epoch */
  readonly timeProblem: (time: number) => Promise<TimeProblem | null>;
};
