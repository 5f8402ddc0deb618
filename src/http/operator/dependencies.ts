import type { KeyedBatch } from '../../commands/records/record.ts';
import type { Services } from '../../tasks/task.ts';
import type { AuditAnswered, AuditQuestion, Parameters } from '../../tasks/audit-questions.ts';
import type { OperatorTokenHolder } from '../../commands/people/tokens/read-operator-token.ts';
import type { CommandContext } from '../../commands/kernel/context.ts';
import type { RecordResource } from '../../domain/records/record-resources.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { Position } from '../../eventstore/event-store.ts';
import type { Imported } from '../contracts/import.ts';
import type { BeginOnce } from '../../commands/kernel/begin-once.ts';
import type { CommandsInContext } from '../../commands/commands.ts';
import type { OperatorStatus } from '../../projections/operations/status.ts';
import type { ReadCounts, ReadLatestGrants } from '../../projections/operations/counts.ts';
import type { Browser } from '../base/browser.ts';
import type { HttpConfig } from '../base/dependencies.ts';

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
  /** Called with each event that is read for the answer. */
  readonly passed?: (event: { readonly created: number }) => void;
};

type Refused = Extract<AuditAnswered, { readonly ok: false }>;

/** What the API of operators uses, also where a command asks it in its own process. */
export type OperatorApiDependencies = {
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
  readonly browser: { readonly config: Pick<HttpConfig, 'baseUrl'>; readonly now: () => Instant };
  readonly commands: Pick<CommandsInContext, 'readOperatorToken'>;
  readonly services: Services;
  /** For requests with an `Idempotency-Key`. */
  readonly beginOnce: BeginOnce;
  readonly importBatch: (
    resource: RecordResource,
    batch: {
      readonly organizationId: string;
      readonly input: AsyncIterable<Buffer>;
      readonly firstLine: number;
      readonly keyed?: KeyedBatch;
    },
    context: CommandContext,
  ) => Promise<ImportedBatch>;
  /** Waits, with a time limit, until the lists show a position. */
  readonly isShown: (position: Position) => Promise<boolean>;
};

export type OperatorDependencies = OperatorApiDependencies & {
  readonly browser: Browser;
  readonly counts: ReadCounts;
  readonly latestGrants: ReadLatestGrants;
  readonly serviceStatus: () => Promise<OperatorStatus>;
};
