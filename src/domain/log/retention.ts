import type { EventType } from '../events.ts';
import { isOfCategory } from '../kernel/stream-name.ts';
import type { DataIn } from '../describe-event.ts';
import { retentionCategories, type retentionEvents } from './events.ts';

export type StreamsRemoved = DataIn<typeof retentionEvents, 'StreamsRemoved'>;
export type RetentionCategory = StreamsRemoved['category'];
export type RemovedStream = StreamsRemoved['streams'][number];

type Rule = {
  /** Category of the stream's name. */
  readonly prefix: 'session' | 'grant' | 'clientToken';
  /** The events that a removable stream may hold; the first one says when its last possible effect is over. */
  readonly first: EventType;
  readonly more: readonly EventType[];
};

/**
 * By category. A session that handed off an activation is part of an organization's audit log and stays. A grant stays
 * if it has any event after its issue: a try to redeem the code, or the reason for its end.
 */
const rules: Readonly<Record<RetentionCategory, Rule>> = {
  session: { prefix: 'session', first: 'SessionStarted', more: ['SessionEnded'] },
  'unredeemed-grant': { prefix: 'grant', first: 'AuthorizationCodeIssued', more: [] },
  'addon-token': { prefix: 'clientToken', first: 'AddonTokenIssued', more: ['AddonTokenRevoked'] },
};

export const removableFirstTypes: readonly EventType[] = retentionCategories.map(
  (category) => rules[category].first,
);

/** No removable stream has more events than this. */
export const mostRemovableEvents = Math.max(...retentionCategories.map((one) => rules[one].more.length + 1));

/** The category that a stream is removed in, by the types of all its events; null for a stream that stays. */
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

export const removedStreamsOf = ({ category, streams }: StreamsRemoved) =>
  streams.map((stream) => removedStreamName(category, stream));
