import type { Services } from '../../administration/task.ts';
import type { CommandContext } from '../../commands/kernel/context.ts';
import type { RecordResource } from '../../domain/records/record-resources.ts';
import type { Position } from '../../eventstore/event-store.ts';
import type { Imported } from '../contracts/import.ts';
import type { CommandsInContext } from '../../commands/commands.ts';
import type { OperatorStatus } from '../../projections/operations/status.ts';
import type { Browser } from '../base/browser.ts';

export type ImportedBatch = {
  readonly counts: Omit<Imported, 'position'>;
  readonly position: Position | null;
  /** Not all lines were imported. */
  readonly stopped?: { readonly cause: unknown };
};

export type OperatorDependencies = {
  readonly browser: Browser;
  readonly commands: Pick<CommandsInContext, 'readOperatorToken'>;
  readonly services: Services;
  readonly serviceStatus: () => Promise<OperatorStatus>;
  /** Imports some lines of records, as the command line does. */
  readonly importBatch: (
    resource: RecordResource,
    batch: { readonly organizationId: string; readonly bytes: Buffer; readonly firstLine: number },
    context: CommandContext,
  ) => Promise<ImportedBatch>;
};
