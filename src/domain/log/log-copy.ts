import type { Instant } from '../kernel/decision.ts';
import type { LogHeadEvent } from './log-head.ts';

/** Appended after the events that were copied from another log: here they have new positions and creation times. */
export type LogCopyEvent = {
  readonly type: 'LogCopied';
  readonly data: {
    /** Number of copied events, without stream metadata: all events before this one at the time it was written. */
    readonly events: number;
    readonly streams: number;
    /** Number of deleted streams of the other log. They were left out. */
    readonly streamsLeftOut: number;
    /** The last head of the other log, over everything in it except that head itself. */
    readonly head: LogHeadEvent['data'];
    /** Compact JWS over all of this. */
    readonly jws: string;
    readonly at: Instant;
  };
};
