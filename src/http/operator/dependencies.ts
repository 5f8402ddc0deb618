import type { Services } from '../../administration/task.ts';
import type { CommandsInContext } from '../../commands/commands.ts';
import type { OperatorStatus } from '../../projections/operations/status.ts';
import type { ReadCounts, ReadLatestGrants } from '../../projections/operations/counts.ts';
import type { Browser } from '../base/browser.ts';

export type OperatorDependencies = {
  readonly browser: Browser;
  readonly commands: Pick<CommandsInContext, 'readOperatorToken'>;
  readonly services: Services;
  readonly counts: ReadCounts;
  readonly latestGrants: ReadLatestGrants;
  readonly serviceStatus: () => Promise<OperatorStatus>;
};
