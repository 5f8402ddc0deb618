import type { CommandsInContext } from '../../commands/commands.ts';
import type { ReadModels } from '../../projections/read-models.ts';
import type { Browser } from '../base/browser.ts';

export type CommandLineDependencies = {
  readonly browser: Browser;
  readonly commands: Pick<
    CommandsInContext,
    | 'allowCommandLine'
    | 'exchangeCommandLineCode'
    | 'isPublisherMember'
    | 'readOperatorToken'
    | 'revokeAdministratorToken'
  >;
  readonly readModels: Pick<ReadModels, 'publishersOf'>;
  readonly version: string;
};
