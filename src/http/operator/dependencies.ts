import type { Services } from '../../administration/task.ts';
import type { CommandsInContext } from '../../commands/commands.ts';
import type { OperatorStatus } from '../../projections/operations/status.ts';
import type { Browser } from '../base/browser.ts';

/** What the pages and the API of operators use. */
export type OperatorDependencies = {
  readonly browser: Browser;
  readonly commands: Pick<CommandsInContext, 'readOperatorToken'>;
  /** What the tasks use. */
  readonly services: Services;
  readonly serviceStatus: () => Promise<OperatorStatus>;
};
