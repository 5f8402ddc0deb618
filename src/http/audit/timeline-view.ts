import { actorSentence } from '../../audit/timeline/entries.ts';
import { positionText } from '../../audit/timeline/position-text.ts';
import { timelineQuery } from '../contracts/audit.ts';
import { namesOf } from '../contracts/parameters.ts';
import { askTimeline, type Asked, type TimelineSources } from './record-question.ts';
import type { View } from './view.ts';
import { timelinePage } from './views/timeline-page.ts';

type AddressOf = (asked: Asked, place: Readonly<Record<string, string>>) => string;

/** The events of an organization, for whoever may read them. @param addressOf the same query at another page, under `base` */
export const timelineView = (dependencies: TimelineSources, addressOf: AddressOf): View => ({
  names: namesOf(timelineQuery),
  refused: (frame) =>
    timelinePage({ ...frame, entries: [], earlier: null, later: null, upTo: null, archived: [] }),
  shown: async (frame, sent, request) => {
    const asked = fromTheEnd(sent);
    const { entries, earlier, later, upTo, archived } = await askTimeline(dependencies, request, asked);
    return timelinePage({
      ...frame,
      entries: entries.map((entry) => ({
        ...entry,
        by: actorSentence(entry.actor),
        place: positionText(entry.position),
      })),
      earlier: earlier && addressOf(asked, { before: positionText(earlier) }),
      later: later && addressOf(asked, { after: positionText(later) }),
      upTo: upTo && positionText(upTo),
      archived,
    });
  },
});

/** Pages begin with the newest events; the API begins with the oldest. */
const fromTheEnd = (asked: Asked): Asked => {
  const { after, before } = asked.question;
  if (after !== undefined || before !== undefined) return asked;
  return { ...asked, question: { ...asked.question, before: 'end' }, sent: { ...asked.sent, before: 'end' } };
};
