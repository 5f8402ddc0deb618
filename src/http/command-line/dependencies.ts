import type { CommandsInContext } from '../../commands/commands.ts';
import type { Browser } from '../base/browser.ts';

export type CommandLineDependencies = {
  readonly browser: Browser;
  readonly commands: Pick<
    CommandsInContext,
    'allowCommandLine' | 'exchangeCommandLineCode' | 'readOperatorToken' | 'revokeAdministratorToken'
  >;
  readonly version: string;
};
