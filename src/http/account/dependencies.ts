import type { Services } from '../../tasks/task.ts';
import type { CommandsInContext } from '../../commands/commands.ts';
import type { Federation } from '../../federation/federation.ts';
import type { ProviderSignIns } from '../../federation/provider-sign-ins.ts';
import type { ReadModels } from '../../projections/read-models.ts';
import type { EndInteraction } from '../../projections/working-state/done-once.ts';
import type { Browser } from '../base/browser.ts';

export type AccountDependencies = {
  readonly browser: Browser;
  readonly commands: Pick<
    CommandsInContext,
    | 'addPasskey'
    | 'changePassword'
    | 'choosePassword'
    | 'choosePreferences'
    | 'endSession'
    | 'endSessions'
    | 'findAddon'
    | 'issueAdministratorToken'
    | 'listAdministratorTokens'
    | 'ownApprovals'
    | 'passkeyOptions'
    | 'passkeysOf'
    | 'passwordSetAt'
    | 'readPasswordLink'
    | 'removePasskey'
    | 'renamePasskey'
    | 'requestPasswordLink'
    | 'revokeAdministratorToken'
    | 'sessionsOf'
    | 'withdrawConsent'
  >;
  readonly readModels: Pick<
    ReadModels,
    'addonsApprovedBy' | 'namesOf' | 'organizationsAdministeredBy' | 'publishersOf'
  >;
  readonly federation: Pick<Federation, 'local' | 'providers'>;
  readonly endInteraction: EndInteraction;
  /** What the user was about to do who looks into a mailbox first. */
  readonly kept: Pick<ProviderSignIns, 'keep' | 'find' | 'take'>;
  /** Null where no mail server is configured. */
  readonly mailLink: Services['deliverLink'] | null;
};
