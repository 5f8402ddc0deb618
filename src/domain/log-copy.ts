import type { Instant } from './decision.ts';
import type { LogHeadEvent } from './log-head.ts';

/** Closes a log that was copied from another one: what lies before it has new positions and creation times. */
export type LogCopyEvent = {
  readonly type: 'LogCopied';
  readonly data: {
    /** Copied, but for metadata of streams: what lies before this one, when it was written. */
    readonly events: number;
    readonly streams: number;
    /** Deleted streams of the other log, which were left out. */
    readonly streamsLeftOut: number;
    /** The last head of the other log, over everything in it but that head itself. */
    readonly head: LogHeadEvent['data'];
    /** Compact JWS over all of this. */
    readonly jws: string;
    readonly at: Instant;
  };
};
