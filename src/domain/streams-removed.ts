import type { Instant } from './decision.ts';

/** What documented retention removes from the log, as docs/retention.md calls it. */
export const retentionCategories = ['session', 'unredeemed-grant'] as const;
export type RetentionCategory = (typeof retentionCategories)[number];

/**
 * Appended before streams are removed: from here on nobody counts on them. What it names, and nothing else, may be missing from the log.
 */
export type RetentionEvent = {
  readonly type: 'StreamsRemoved';
  readonly data: {
    readonly category: RetentionCategory;
    readonly streams: readonly RemovedStream[];
    /** Events of each category that went so far, these included. */
    readonly total: Readonly<Record<RetentionCategory, number>>;
    readonly at: Instant;
  };
};

export type StreamsRemoved = RetentionEvent['data'];

export type RemovedStream = {
  /** What follows the first dash in the stream's name. */
  readonly id: string;
  /** Where its events are in the tree over the log, from 0, in their order: all that it had. */
  readonly leaves: readonly number[];
  /** Their hashes, base64url: the tree can be built from the log alone, whatever becomes of its tiles. */
  readonly hashes: readonly string[];
};
