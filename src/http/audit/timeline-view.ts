import { positionText } from '../../audit/timeline/position-text.ts';
import { timelineQuery } from '../contracts/audit.ts';
import { namesOf } from '../contracts/parameters.ts';
import { askTimeline, type Asked, type TimelineSources } from './record-question.ts';
import { fileOf, type FileKind } from './timeline-files.ts';
import type { View } from './view.ts';
import { timelinePage } from './views/timeline-page.ts';

type Place = Readonly<Record<string, string>>;
type AddressOf = (asked: Asked, place: Place, file?: FileKind) => string;

/** The events of an organization, for whoever may read them. @param addressOf the same query at another page, or as a file, under `base` */
export const timelineView = (dependencies: TimelineSources, addressOf: AddressOf): View => ({
  names: namesOf(timelineQuery),
  refused,
  shown: async (frame, sent, request) => {
    const asked = fromTheEnd(sent);
    const { entries, earlier, later, upTo, dropped } = await askTimeline(dependencies, request, asked);
    const fileAt = (kind: FileKind) => addressOf(sent, placeIn(sent), kind);
    return timelinePage({
      ...frame,
      entries: entries.map((entry) => ({ ...entry, place: positionText(entry.position) })),
      earlier: earlier && addressOf(asked, { before: positionText(earlier) }),
      later: later && addressOf(asked, { after: positionText(later) }),
      files: entries.length === 0 ? null : { csv: fileAt('csv'), ndjson: fileAt('ndjson') },
      upTo: upTo && positionText(upTo),
      dropped,
    });
  },
});

export const timelineFile = (dependencies: TimelineSources, file: FileKind): View => ({
  names: namesOf(timelineQuery),
  file,
  refused,
  shown: async (_frame, sent, request) =>
    fileOf(file, (await askTimeline(dependencies, request, fromTheEnd(sent))).entries),
});

const refused: View['refused'] = (frame) =>
  timelinePage({
    ...frame,
    entries: [],
    earlier: null,
    later: null,
    files: null,
    upTo: null,
    dropped: [],
  });

const placeIn = ({ sent: { after, before } }: Asked): Place => ({
  ...(after !== undefined && { after }),
  ...(before !== undefined && { before }),
});

/** Pages begin with the newest events; the API begins with the oldest. */
const fromTheEnd = (asked: Asked): Asked => {
  const { after, before } = asked.question;
  if (after !== undefined || before !== undefined) return asked;
  return { ...asked, question: { ...asked.question, before: 'end' }, sent: { ...asked.sent, before: 'end' } };
};
