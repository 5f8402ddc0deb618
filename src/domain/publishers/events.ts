import { z } from 'zod';
import { instant, maySkip, mustKnow } from '../describe-event.ts';
import { user } from '../event-subjects.ts';
import { internal } from '../kernel/publication.ts';
import { markName } from '../kernel/sentence.ts';
import { byClaim } from '../people/role-source.ts';
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
      sentence: ({ publisherId, name }) => `The publisher ${publisherId} was created as "${markName(name)}".`,
    },
  ),
  PublisherRenamed: maySkip(
    { name: z.string(), at: instant },
    {
      ...ofPublisher,
      sentence: ({ name }, { streamId }) => `The publisher ${streamId} was renamed to "${markName(name)}".`,
    },
  ),
  /** The user may look after the publisher's add-ons. */
  PublisherMemberAdded: mustKnow(member, {
    ...ofMember,
    sentence: ({ userId, source }, { user, streamId }) =>
      `${user(userId)} became a member of the publisher ${streamId}${byClaim(source)}.`,
  }),
  PublisherMemberRemoved: mustKnow(member, {
    ...ofMember,
    sentence: ({ userId, source }, { user, streamId }) =>
      `${user(userId)} is no longer a member of the publisher ${streamId}${byClaim(source)}.`,
  }),
};
