import { z } from 'zod';
import { type EventsIn, instant, maySkip, mustKnow } from '../../../src/domain/describe-event.ts';
import { thisAddon, user } from '../../../src/domain/event-subjects.ts';
import { as, internal, kept, plain, publish, utc } from '../../../src/domain/kernel/publication.ts';
import { aboutAddon } from '../../../src/domain/signals/notice.ts';

/** Two events of add-ons that are not in `src`. */
export const inventedEvents = {
  /** A reader that misses it would show another colour than the decided one. */
  AddonPainted: mustKnow(
    { color: z.enum(['red', 'green']), by: z.string(), at: instant },
    {
      subjects: ({ by }, place) => [...thisAddon(null, place), user(by)],
      notices: aboutAddon('registration-changed', ({ color }: { readonly color: string }) => ({
        changed: [color],
        reason: 'An operator painted the add-on.',
      })),
      kafka: publish({
        color: as('color', plain<'red' | 'green'>()),
        by: kept<string>('names who acted'),
        at: as('at', utc),
      }),
      sentence: ({ color, by }, { addon, user, streamId }) =>
        `${addon(streamId)} was painted ${color} by ${user(by)}.`,
    },
  ),
  /** A remark about the paint, which is personal. */
  AddonPaintPraised: maySkip(
    { userId: z.string(), words: z.string(), at: instant },
    {
      subjects: thisAddon,
      notices: null,
      kafka: internal('what people like authorizes no add-on'),
      personal: { fields: ['words'], subject: ({ userId }) => `account:${userId}` },
      sentence: ({ userId }, { addon, user, streamId }) =>
        `${user(userId)} praised the paint of ${addon(streamId)}.`,
    },
  ),
};

export type PaintEvent = EventsIn<typeof inventedEvents>;
