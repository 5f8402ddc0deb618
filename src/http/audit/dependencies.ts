import type { AskExposure } from '../../audit/exposure/exposure-with-reads.ts';
import type { LogState } from '../../audit/log-heads/log-state.ts';
import type { PreparedResults } from '../../audit/prepared.ts';
import type { TimeProblem } from '../../audit/timeline/time-in-log.ts';
import type { Timeline } from '../../audit/timeline/timeline.ts';
import type { CommandsInContext } from '../../commands/commands.ts';
import type { ReadUnusedGrants } from '../../projections/access/unused-grants.ts';
import type { ReadNames } from '../../projections/kernel/names.ts';
import type { ReadModels } from '../../projections/read-models.ts';
import type { ListReads } from '../../projections/read-counts/read-reads.ts';
import type { Browser } from '../base/browser.ts';
import type { OperatorApiDependencies } from '../operator/dependencies.ts';

/** What the pages and the API of auditors use: their queries are answered from the log. */
export type AuditDependencies = {
  readonly browser: Browser;
  readonly commands: Pick<
    CommandsInContext,
    'isAuditor' | 'readOperatorToken' | 'recordAuditQuery' | 'userOfAddress'
  >;
  readonly readModels: Pick<ReadModels, 'addonsOf' | 'named' | 'organization' | 'organizationsAuditedBy'>;
  readonly audits: Pick<OperatorApiDependencies['audits'], 'export'>;
  readonly timeline: Timeline;
  readonly names: ReadNames;
  readonly reads: Pick<ListReads, 'lastReads'>;
  readonly exposure: AskExposure;
  readonly prepared: Pick<PreparedResults, 'ask'>;
  readonly unusedGrants: ReadUnusedGrants;
  /** Why there is no answer for a time of the log; null if there is one. @param time milliseconds since the Unix epoch */
  readonly timeProblem: (time: number) => Promise<TimeProblem | null>;
  /** The state of the log as a whole. @param at milliseconds since the Unix epoch */
  readonly logState: (at: number) => Promise<LogState>;
};
