import { accept, type Decider, type Decision, type Instant, refuse, type At } from '../kernel/decision.ts';
import type { EventsIn } from '../describe-event.ts';
import {
  type BySource,
  bySource,
  fromAnySource,
  type RoleSource,
  withAdded,
  withRemoved,
} from '../people/role-source.ts';
import type { publisherEvents } from './events.ts';

export type PublisherEvent = EventsIn<typeof publisherEvents>;

export type Publisher =
  | { readonly status: 'unknown' }
  | {
      readonly status: 'created';
      readonly publisherId: string;
      readonly name: string;
      readonly membersBySource: BySource<string>;
      /** When each former member last left, by user id; who has come back is there, too. */
      readonly leftAt: Readonly<Record<string, Instant>>;
    };

export const publisherDecider: Decider<Publisher, PublisherEvent> = {
  initial: { status: 'unknown' },
  evolve: (publisher, event) => {
    if (event.type === 'PublisherCreated') {
      const { publisherId, name } = event.data;
      return { status: 'created', publisherId, name, membersBySource: bySource, leftAt: {} };
    }
    if (publisher.status === 'unknown') return publisher;
    const { membersBySource } = publisher;
    switch (event.type) {
      case 'PublisherRenamed':
        return { ...publisher, name: event.data.name };
      case 'PublisherMemberAdded': {
        const { source, userId } = event.data;
        return { ...publisher, membersBySource: withAdded(membersBySource, source, userId) };
      }
      case 'PublisherMemberRemoved': {
        const { source, userId, at } = event.data;
        const left = { ...publisher, membersBySource: withRemoved(membersBySource, source, userId) };
        return isMember(left, userId) ? left : { ...left, leftAt: { ...left.leftAt, [userId]: at } };
      }
    }
  },
};

/** Everybody who may act for the publisher, by whichever source. */
export const membersOf = (publisher: Publisher): readonly string[] =>
  publisher.status === 'unknown' ? [] : fromAnySource(publisher.membersBySource);

/** Whether the user is a member by this source, whatever the other one says. */
export const isMemberBy = (publisher: Publisher, source: RoleSource, userId: string): boolean =>
  publisher.status === 'created' && publisher.membersBySource[source].includes(userId);

/** @param byClaim whether a membership by a provider's claim counts, too */
export const isMember = (publisher: Publisher, userId: string, byClaim = true): boolean =>
  isMemberBy(publisher, 'manual', userId) || (byClaim && isMemberBy(publisher, 'claim', userId));

export const createPublisher = (
  publisher: Publisher,
  { publisherId, name, now }: At<'publisherId' | 'name'>,
): Decision<PublisherEvent, 'publisher-exists'> =>
  publisher.status === 'unknown'
    ? accept({ type: 'PublisherCreated', data: { publisherId, name, at: now } })
    : refuse('publisher-exists');

/** The same name again changes nothing. */
export const renamePublisher = (
  publisher: Publisher,
  { name, now }: At<'name'>,
): Decision<PublisherEvent, 'publisher-unknown'> => {
  if (publisher.status === 'unknown') return refuse('publisher-unknown');
  return publisher.name === name ? accept() : accept({ type: 'PublisherRenamed', data: { name, at: now } });
};

type Membership = { readonly userId: string; readonly source?: RoleSource; readonly now: Instant };

/** Adding a member twice changes nothing. By claim and by hand, a user can be one twice. */
export const addMember = (
  publisher: Publisher,
  { userId, source = 'manual', now }: Membership,
): Decision<PublisherEvent, 'publisher-unknown'> => {
  if (publisher.status === 'unknown') return refuse('publisher-unknown');
  if (isMemberBy(publisher, source, userId)) return accept();
  return accept({ type: 'PublisherMemberAdded', data: { userId, source, at: now } });
};

/** Ends one source of the membership. By hand, a member by claim alone is refused: the user would stay one. */
export const removeMember = (
  publisher: Publisher,
  { userId, source = 'manual', now }: Membership,
): Decision<PublisherEvent, 'publisher-unknown' | 'role-by-claim'> => {
  if (publisher.status === 'unknown') return refuse('publisher-unknown');
  if (isMemberBy(publisher, source, userId))
    return accept({ type: 'PublisherMemberRemoved', data: { userId, source, at: now } });
  return source === 'manual' && isMemberBy(publisher, 'claim', userId) ? refuse('role-by-claim') : accept();
};
