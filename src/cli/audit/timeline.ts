import type { Parameters } from '../../administration/audit-questions.ts';
import { shortEventOf, stateWords } from '../../audit/timeline/notifications.ts';
import { positionText } from '../../audit/timeline/position-text.ts';
import type { presentPage } from '../../audit/timeline/present-timeline.ts';
import { aboutKinds } from '../../domain/event-subjects.ts';
import type { EventType } from '../../domain/events.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { recordsInWords } from '../../domain/records/each-record.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { collect, parsePositionOption, wholeFrom1To } from '../base/option-values.ts';
import { aboutIn, withAbout, type AboutOptions } from './about.ts';
import { askAudit } from './ask-audit.ts';
import { anActor, anEventType, aPositionOrEnd, aTime, aTimeUntil, timeText } from './values.ts';
import { actorWords, nameWithId } from '../../audit/timeline/words.ts';

type Options = AboutOptions & {
  readonly from?: number;
  readonly to?: number;
  readonly type?: readonly EventType[];
  readonly actor?: string;
  readonly after?: Position;
  readonly before?: Position | 'end';
  readonly limit: number;
  readonly records?: boolean;
};

export const addTimelineCommand: AddCommands = (audit, io, run) => {
  const command = withAbout(leaf(audit, 'timeline', 'list events in order, in plain words'))
    .option('--from <time>', 'only from this time on (RFC 3339, or a date)', aTime)
    .option('--to <time>', 'only up to this time (not in the future)', aTimeUntil)
    .option('--type <type...>', 'only events of these types', collect(anEventType))
    .option(
      '--actor <actor>',
      'only acts of this user id, break-glass, operator or addon:<client_id>; without other filters: all acts of a user',
      anActor,
    )
    .option('--after <position>', 'only events after this position', parsePositionOption)
    .option('--before <position>', 'the last events before this position, or before the end', aPositionOrEnd)
    .option('--limit <n>', 'maximum number of events, up to 1000', wholeFrom1To(1000), 50)
    .option('--records', `an organization's ${recordsInWords} too`);
  command.action((options: Options) => {
    const acted = actedBy(options);
    if (acted !== null && !isUlid(acted))
      command.error('error: --actor without another filter needs a user_id');
    const about = acted === null ? aboutIn(command, options) : ({ kind: 'user', id: acted } as const);
    if (options.after !== undefined && options.before !== undefined)
      command.error('error: --after and --before cannot both be given');
    if (options.from !== undefined && options.to !== undefined && options.from > options.to)
      command.error('error: --from is later than --to');
    if ((options.type?.length ?? 0) > mostTypes)
      command.error(`error: --type names at most ${mostTypes} types`);
    if (options.records && about.kind !== 'organization')
      command.error('error: --records needs --organization');
    return run(() => askAudit(io, 'timeline', paramsOf(options), textOf));
  });
};

/** The actor, if the query is about all acts of one actor; null when it is about something else. */
const actedBy = (options: Options): string | null =>
  aboutKinds.some((kind) => options[kind] !== undefined) ? null : (options.actor ?? null);

/** The query is recorded with all its parameters, and the record has a maximum length. */
const mostTypes = 8;

const paramsOf = (options: Options): Parameters => ({
  organization: options.organization,
  addon: options.addon,
  user: options.user,
  grant: options.grant,
  from: timeText(options.from),
  to: timeText(options.to),
  type: options.type,
  actor: options.actor,
  after: options.after && positionText(options.after),
  before: options.before && (options.before === 'end' ? 'end' : positionText(options.before)),
  limit: String(options.limit),
  records: options.records ? 'true' : undefined,
});

const removedText = (until: string): string =>
  `Not included: old sessions, and codes that were never redeemed, removed by documented retention until ${until} (docs/reference/retention.md).`;

type Page = ReturnType<typeof presentPage> & {
  readonly complete: boolean;
  readonly removed_until: string | null;
};
type Entry = Page['entries'][number];

const textOf = (page: Page): string =>
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
