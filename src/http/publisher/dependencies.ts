import type { Services } from '../../tasks/task.ts';
import type { CommandsInContext } from '../../commands/commands.ts';
import type { BeginOnce } from '../../commands/kernel/begin-once.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { ReadUsage } from '../../projections/usage-counts/read-usage.ts';
import type { Browser } from '../base/browser.ts';

export type PublisherDependencies = {
  readonly browser: Browser;
  readonly commands: Pick<CommandsInContext, 'readAdministratorToken'>;
  readonly services: Services;
  readonly readUsage: ReadUsage;
  /** For requests with an `Idempotency-Key`. */
  readonly beginOnce: BeginOnce;
  readonly now: () => Instant;
};
