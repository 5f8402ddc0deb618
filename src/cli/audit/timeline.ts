import { shortEventOf, stateWords } from '../../audit/timeline/notifications.ts';
import type { presentPage } from '../../audit/timeline/present-timeline.ts';
import { actorWords, nameWithId } from '../../audit/timeline/words.ts';

const removedText = (until: string): string =>
  `Not included: old sessions, and codes that were never redeemed, removed by documented retention until ${until} (docs/reference/retention.md).`;

type Page = ReturnType<typeof presentPage> & {
  readonly complete: boolean;
  readonly removed_until: string | null;
};
type Entry = Page['entries'][number];

export const timelineText = (page: Page): string =>
  [pageText(page), ...(page.removed_until === null ? [] : [removedText(page.removed_until)])].join('\n');

const pageText = ({ about, entries, earlier, later, up_to: upTo, archived, complete }: Page): string =>
  [
    `${nameWithId(about)}:`,
    ...(entries.length === 0 ? ['  no events match'] : entries.map(entryText)),
    ...(earlier === null ? [] : [`Earlier: --before ${earlier}`]),
    ...(later === null ? [] : [`Later: --after ${later}`]),
    ...(archived.length === 0
      ? []
      : [
          `Not complete: the history of ${archived.join(', ')} is archived (grantbook history status). Attach it to include its events.`,
        ]),
    ...(complete
      ? []
      : [
          `Not complete: events after ${upTo ?? 'the beginning'} are not indexed yet. Is an instance running?`,
        ]),
  ].join('\n');

const entryText = ({ time, what, why, actor, token_id: tokenId, told, ...entry }: Entry): string => {
  const by = actorWords(actor);
  const token = tokenId === null ? '' : ` with the administrator token ${tokenId}`;
  return [
    `${time}  ${what}`,
    ...(by === null ? [] : [`    by ${by}${token}`]),
    ...(why === null ? [] : [`    because ${why}`]),
    ...told.map((one) => `    ${toldText(one)}`),
    `    ${entry.type} ${entry.stream}@${entry.revision} at ${entry.position}, event ${entry.event_id}`,
  ].join('\n');
};

const toldText = ({ acknowledged_at: acknowledgedAt, ...rest }: Entry['told'][number]): string => {
  const told = { ...rest, acknowledgedAt };
  const at = acknowledgedAt === null ? '' : ` at ${acknowledgedAt}`;
  return `message to ${nameWithId(told.addon)}: ${shortEventOf(told)}, ${stateWords(told)}${at}, jti ${told.jti}`;
};
