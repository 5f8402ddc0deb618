import type { KeyedBatch } from '../../commands/records/record.ts';
import type { Services } from '../../tasks/task.ts';
import type { AuditAnswered, AuditQuestion, Parameters } from '../../tasks/audit-questions.ts';
import type { OperatorTokenHolder } from '../../commands/people/tokens/read-operator-token.ts';
import type { CommandContext } from '../../commands/kernel/context.ts';
import type { RecordResource } from '../../domain/records/record-resources.ts';
import type { Position } from '../../eventstore/event-store.ts';
import type { Imported } from '../contracts/import.ts';
import type { BeginOnce } from '../../commands/kernel/idempotency.ts';
import type { CommandsInContext } from '../../commands/commands.ts';
import type { OperatorStatus } from '../../projections/operations/status.ts';
import type { ReadCounts, ReadLatestGrants } from '../../projections/operations/counts.ts';
import type { Browser } from '../base/browser.ts';

export type ImportedBatch = {
  readonly counts: Omit<Imported, 'position'>;
  readonly position: Position | null;
  /** Not all lines were imported. */
  readonly stopped?: { readonly cause: unknown };
};

/** Who asks, for the record of it. */
export type AskingAudits = {
  readonly holder: OperatorTokenHolder;
  readonly context: CommandContext;
  readonly signal: AbortSignal;
};

type Refused = Extract<AuditAnswered, { readonly ok: false }>;

export type OperatorDependencies = {
  readonly audits: {
    readonly ask: (
      question: AuditQuestion,
      parameters: Parameters,
      asking: AskingAudits,
    ) => Promise<AuditAnswered>;
    readonly export: (
      parameters: Parameters,
      asking: AskingAudits,
    ) => Promise<AsyncIterable<string> | Refused>;
  };
  readonly browser: Browser;
  readonly commands: Pick<CommandsInContext, 'readOperatorToken'>;
  readonly services: Services;
  readonly counts: ReadCounts;
  readonly latestGrants: ReadLatestGrants;
  /** For requests with an `Idempotency-Key`. */
  readonly beginOnce: BeginOnce;
  readonly serviceStatus: () => Promise<OperatorStatus>;
  readonly importBatch: (
    resource: RecordResource,
    batch: {
      readonly organizationId: string;
      readonly bytes: Buffer;
      readonly firstLine: number;
      readonly keyed?: KeyedBatch;
    },
    context: CommandContext,
  ) => Promise<ImportedBatch>;
};
