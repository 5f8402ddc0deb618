import type { CommandsInContext } from '../../commands/commands.ts';
import type { ReadModels } from '../../projections/read-models.ts';
import type { JudgedLately } from '../../signals/judged-lately.ts';
import type { ManageStreams } from '../../signals/manage-streams.ts';
import type { Poll } from '../../signals/poll.ts';
import type { Base } from '../base/dependencies.ts';
import type { RateLimits } from '../limits/counters/rate-limits.ts';

/** What Shared Signals uses: how add-ons are notified of changes of their access. */
export type SignalsDependencies = Base & {
  readonly commands: Pick<
    CommandsInContext,
    | 'changeSignalStream'
    | 'createSignalStream'
    | 'deleteSignalStream'
    | 'findSignalStream'
    | 'judgeAddonToken'
    | 'ownerOfExpired'
    | 'readAddonToken'
    | 'setSignalStreamStatus'
    | 'signalChangesPausedUntil'
    | 'verifyAccessToken'
  >;
  readonly readModels: Pick<ReadModels, 'judge'>;
  readonly rateLimits: Pick<RateLimits, 'longPollBodies' | 'resources' | 'signals'>;
  readonly poll: Poll;
  readonly judgedLately: Pick<JudgedLately, 'of' | 'judging'>;
  /** Answers every waiting poll. */
  readonly stopPolls: () => void;
  readonly signalStreams: ManageStreams;
};
