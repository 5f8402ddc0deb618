import type { Services } from '../../administration/task.ts';
import type { BeginOnce } from '../../commands/kernel/idempotency.ts';
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
  /** For requests with an `Idempotency-Key`. */
  readonly beginOnce: BeginOnce;
  readonly serviceStatus: () => Promise<OperatorStatus>;
};
