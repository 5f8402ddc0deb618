import type { Instant } from '../kernel/decision.ts';

/** What documented retention removes from the log, with the names of docs/retention.md. */
export const retentionCategories = ['session', 'unredeemed-grant', 'addon-token'] as const;
export type RetentionCategory = (typeof retentionCategories)[number];

/**
 * Appended before streams are removed: from here on nothing may depend on them. Only what it names may be missing from
 * the log.
 */
export type RetentionEvent = {
  readonly type: 'StreamsRemoved';
  readonly data: {
    readonly category: RetentionCategory;
    readonly streams: readonly RemovedStream[];
    /** Number of events of each category removed so far, including these. The last is absent until there are some. */
    readonly total: {
      readonly session: number;
      readonly 'unredeemed-grant': number;
      readonly 'addon-token'?: number | undefined;
    };
    readonly at: Instant;
  };
};

export type StreamsRemoved = RetentionEvent['data'];

export type RemovedStream = {
  /** The part of the stream's name after the first dash. */
  readonly id: string;
  /** The leaf indexes of all its events in the tree over the log, from 0, in their order. */
  readonly leaves: readonly number[];
  /** Their hashes, base64url: with them the tree can be built from the log alone, even without its tiles. */
  readonly hashes: readonly string[];
};
