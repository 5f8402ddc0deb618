import { actorWords, nameWithId } from '../../audit/timeline/entries.ts';
import { textOf as sentenceText } from '../../domain/kernel/sentence.ts';
import { positionText } from '../../audit/timeline/position-text.ts';
import { newestRemoval } from '../../audit/retention/removals.ts';
import { presentPage } from '../../audit/timeline/present-timeline.ts';
import { shortEventOf, stateWords } from '../../audit/timeline/notifications.ts';
import type { TimelineEntry, TimelinePage, Told } from '../../audit/timeline/timeline.ts';
import { aboutKinds, type About } from '../../domain/event-subjects.ts';
import type { EventType } from '../../domain/events.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { recordsInWords } from '../../domain/records/each-record.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { answer, type Answer } from '../base/answer.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { collect, parsePositionOption, wholeFrom1To } from '../base/option-values.ts';
import { withNamedOptions } from '../base/named-options.ts';
import { withService, type CliService } from '../base/service.ts';
import { noteQuery, timeText } from './note-query.ts';
import { requireInLog } from './log-positions.ts';
import { aboutIn, unlessKnown, withAbout, type AboutOptions } from './about.ts';
import { anActor, anEventType, aPositionOrEnd, aTime, aTimeUntil } from './values.ts';

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
    return run(() =>
      withService(
        io,
        (service) =>
          withNamedOptions(service, { [about.kind]: about.id }, ({ [about.kind]: id = about.id }) =>
            timeline(service, { ...about, id }, options, io.signal),
          ),
        'auditor',
      ),
    );
  });
};

/** The actor, if the query is about all acts of one actor; null when it is about something else. */
const actedBy = (options: Options): string | null =>
  aboutKinds.some((kind) => options[kind] !== undefined) ? null : (options.actor ?? null);

/** The query is recorded with all its parameters, and the record has a maximum length. */
const mostTypes = 8;

/** In milliseconds. Longer than a maintained index needs; if the index is off, there is nothing to wait for. */
const settleMs = 3000;

const timeline = async (
  service: CliService,
  about: About,
  options: Options,
  signal: AbortSignal,
): Promise<Answer> => {
  const { from, to, type, actor, after, before, limit, records } = options;
  const unknown = await unlessKnown(service, about);
  if (unknown) return unknown;
  const absent = await requireInLog(service, [
    { option: '--from', time: from },
    { option: '--to', time: to },
    { option: '--after', position: after },
    { option: '--before', position: before === 'end' ? undefined : before },
  ]);
  if (absent) return absent;
  await noteQuery(service, 'timeline', {
    ...(about.kind === 'organization' && { organizationId: about.id }),
    parameters: {
      [about.kind]: about.id,
      from: timeText(from),
      to: timeText(to),
      type: type?.join('+'),
      actor,
      after: after && positionText(after),
      before: before && (before === 'end' ? before : positionText(before)),
      limit,
      records,
    },
  });
  const complete = await service.audit.settled(settleMs);
  const request = {
    about,
    acted: actedBy(options) !== null,
    limit,
    ...(after && { after }),
    ...(before && { before }),
    filters: {
      ...(type && { eventTypes: type }),
      ...(actor !== undefined && { actor }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    },
    records: records ?? false,
  };
  const page = await service.audit.timeline.page(request, signal);
  const removal = await newestRemoval(service.store);
  const removedUntil = removal && new Date(removal.removed.at).toISOString();
  return answer(
    { ...presentPage(page), complete, removed_until: removedUntil },
    [textOf(page, complete), ...(removedUntil === null ? [] : [removedText(removedUntil)])].join('\n'),
  );
};

const removedText = (until: string): string =>
  `Not included: old sessions, and codes that were never redeemed, removed by documented retention until ${until} (docs/reference/retention.md).`;

const textOf = (
  { about, entries, earlier, later, upTo, archived }: TimelinePage,
  complete: boolean,
): string =>
  [
    `${nameWithId(about)}:`,
    ...(entries.length === 0 ? ['  no events match'] : entries.map(entryText)),
    ...(earlier ? [`Earlier: --before ${positionText(earlier)}`] : []),
    ...(later ? [`Later: --after ${positionText(later)}`] : []),
    ...(archived.length === 0
      ? []
      : [
          `Not complete: the history of ${archived.join(', ')} is archived (grantbook history status). Attach it to include its events.`,
        ]),
    ...(complete
      ? []
      : [
          `Not complete: events after ${upTo ? positionText(upTo) : 'the beginning'} are not indexed yet. Is an instance running?`,
        ]),
  ].join('\n');

const entryText = ({ time, words, why, actor, tokenId, position, told, ...entry }: TimelineEntry): string => {
  const by = actorWords(actor);
  const token = tokenId === null ? '' : ` with the administrator token ${tokenId}`;
  return [
    `${time}  ${sentenceText(words)}`,
    ...(by === null ? [] : [`    by ${by}${token}`]),
    ...(why === null ? [] : [`    because ${sentenceText(why)}`]),
    ...told.map((one) => `    ${toldText(one)}`),
    `    ${entry.type} ${entry.stream}@${entry.revision} at ${positionText(position)}, event ${entry.eventId}`,
  ].join('\n');
};

const toldText = (told: Told): string => {
  const at = told.acknowledgedAt === null ? '' : ` at ${told.acknowledgedAt}`;
  return `message to ${nameWithId(told.addon)}: ${shortEventOf(told)}, ${stateWords(told)}${at}, jti ${told.jti}`;
};
