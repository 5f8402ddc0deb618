import { z } from 'zod';
import { instant, maySkip, mustKnow } from '../describe-event.ts';
import { user } from '../event-subjects.ts';
import { internal } from '../kernel/publication.ts';
import { markName } from '../kernel/sentence.ts';
import { publisherStream } from '../streams.ts';

const ofPublisher = {
  /** Its add-ons' timelines say what follows for them. */
  subjects: null,
  notices: null,
  kafka: internal('who offers an add-on, and works there, authorizes nothing'),
};
const ofMember = {
  ...ofPublisher,
  subjects: ({ userId }: { readonly userId: string }) => [user(userId)],
};
const member = { userId: z.string(), source: z.enum(['manual', 'claim']), at: instant };

/** Who offers add-ons. */
export const publisherEvents = {
  PublisherCreated: mustKnow(
    { publisherId: z.string(), name: z.string(), at: instant },
    {
      ...ofPublisher,
      ownStream: ({ publisherId }) => publisherStream(publisherId),
      sentence: ({ publisherId, name }, { words }) => words.PublisherCreated(publisherId, markName(name)),
    },
  ),
  PublisherRenamed: maySkip(
    { name: z.string(), at: instant },
    {
      ...ofPublisher,
      sentence: ({ name }, { words, streamId }) => words.PublisherRenamed(streamId, markName(name)),
    },
  ),
  /** The user may look after the publisher's add-ons. */
  PublisherMemberAdded: mustKnow(member, {
    ...ofMember,
    sentence: ({ userId, source }, { words, user, streamId }) =>
      words.PublisherMemberAdded(user(userId), streamId, source === 'claim'),
  }),
  PublisherMemberRemoved: mustKnow(member, {
    ...ofMember,
    sentence: ({ userId, source }, { words, user, streamId }) =>
      words.PublisherMemberRemoved(user(userId), streamId, source === 'claim'),
  }),
};
