import type { Instant } from './decision.ts';
import type { EventType } from './events.ts';
import { isOfCategory } from './stream-name.ts';

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

type Rule = {
  /** Of the stream's name. */
  readonly prefix: 'session' | 'grant';
  /** What the stream may hold to be removed; its first event says when its last possible effect is over. */
  readonly first: EventType;
  readonly more: readonly EventType[];
};

/**
 * By category. A session that passed an activation on belongs to an organization's history and stays. So does a grant of which anything
 * but its issue is known: that somebody tried to redeem the code, or what ended it.
 */
const rules: Readonly<Record<RetentionCategory, Rule>> = {
  session: { prefix: 'session', first: 'SessionStarted', more: ['SessionEnded'] },
  'unredeemed-grant': { prefix: 'grant', first: 'AuthorizationCodeIssued', more: [] },
};

export const removableFirstTypes: readonly EventType[] = retentionCategories.map(
  (category) => rules[category].first,
);

/** More events than this no removable stream has. */
export const mostRemovableEvents = Math.max(...retentionCategories.map((one) => rules[one].more.length + 1));

/** The category that a stream is removed in, by the types of all its events; null for one that stays. */
export const removableAs = (stream: string, types: readonly string[]): RetentionCategory | null => {
  const [first, ...more] = types;
  const isRemovable = (category: RetentionCategory): boolean => {
    const rule = rules[category];
    return (
      isOfCategory(stream, rule.prefix) &&
      first === rule.first &&
      more.length <= rule.more.length &&
      more.every((type) => (rule.more as readonly string[]).includes(type))
    );
  };
  return retentionCategories.find(isRemovable) ?? null;
};

export const removedStreamName = (category: RetentionCategory, { id }: Pick<RemovedStream, 'id'>) =>
  `${rules[category].prefix}-${id}` as const;

/** The names of all that an event removes. */
export const removedStreamsOf = ({ category, streams }: StreamsRemoved) =>
  streams.map((stream) => removedStreamName(category, stream));
