import type { EventType } from './events.ts';
import { isOfCategory } from './stream-name.ts';
import {
  retentionCategories,
  type RemovedStream,
  type RetentionCategory,
  type StreamsRemoved,
} from './streams-removed.ts';

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
