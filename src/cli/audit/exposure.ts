import type { ExposureWithReads } from '../../audit/exposure/exposure-with-reads.ts';
import type { Edge, Subject } from '../../audit/exposure/exposure.ts';
import { nameWithId } from '../../audit/timeline/entries.ts';
import { positionText } from '../../audit/timeline/position-text.ts';
import type { About } from '../../domain/event-subjects.ts';
import { amount, answer, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { parseId, wholeFrom1To } from '../base/option-values.ts';
import { withNamedOptions } from '../base/named-options.ts';
import { withService, type CliService } from '../base/service.ts';
import { unlessKnown } from './about.ts';
import { showEventsRead } from '../base/progress.ts';
import { noteQuery, timeText } from './note-query.ts';
import { requireInLog } from './log-positions.ts';
import { anOffset, aTime, aTimeUntil } from './values.ts';

type Options = {
  readonly organization: string;
  readonly addon: string;
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  readonly skip: number;
};

export const addExposureCommand: AddCommands = (audit, io, run) => {
  const command = leaf(audit, 'exposure', 'show what an add-on could read of an organization in a period');
  command
    .requiredOption('--organization <organization>', 'organization_id', parseId)
    .requiredOption('--addon <id>', 'client_id of the add-on', parseId)
    .requiredOption('--from <time>', "start time, by the log's clock (RFC 3339, or a date)", aTime)
    .requiredOption('--to <time>', 'end time, not in the future', aTimeUntil)
    .option(
      '--limit <n>',
      'maximum number of intervals, tokens and hours of reads, up to 10000',
      wholeFrom1To(10_000),
      1000,
    )
    .option('--skip <n>', 'skip this many of each (next page)', anOffset, 0)
    .action((options: Options) => {
      if (options.from > options.to) command.error('error: --from is later than --to');
      return run(() =>
        withService(
          io,
          (service) => withNamedOptions(service, options, (given) => show(service, given, io)),
          'auditor',
        ),
      );
    });
};

const show = async (
  service: CliService,
  { organization, addon, from, to, limit, skip }: Options,
  { signal, stderr }: Pick<CliIo, 'signal' | 'stderr'>,
): Promise<Answer> => {
  const abouts = [
    { kind: 'organization', id: organization },
    { kind: 'addon', id: addon },
  ] as const;
  for (const about of abouts) {
    const unknown = await unlessKnown(service, about);
    if (unknown) return unknown;
  }
  const absent = await requireInLog(service, [
    { option: '--from', time: from },
    { option: '--to', time: to },
  ]);
  if (absent) return absent;
  const window = { from: timeText(from), to: timeText(to) };
  await noteQuery(service, 'exposure', {
    organizationId: organization,
    parameters: { addon, ...window, limit, skip },
  });
  const request = { organizationId: organization, addonId: addon, from, to, limit, skip };
  const progress = showEventsRead(stderr);
  const found = await service.audit.exposure(request, signal, progress.passed).finally(progress.end);
  const subjects = found.intervals.map(({ subject }): About => subject);
  const names = await service.audit.names([...abouts, ...subjects]);
  const json = jsonOf({ organization, addon, window, next: skip + limit }, found, names);
  return answer(json, textOf(json));
};

type Asked = {
  readonly organization: string;
  readonly addon: string;
  readonly window: object;
  readonly next: number;
};

const jsonOf = (
  { organization, addon, window, next }: Asked,
  { intervals, intervalsInAll, tokens, tokensInAll, reads, readsInAll, ...counted }: ExposureWithReads,
  names: ReadonlyMap<string, string>,
) => {
  const named = (id: string) => ({ id, name: names.get(id) ?? null });
  const subjectOf = ({ kind, id }: Subject) => ({ kind, ...named(id) });
  return {
    organization: named(organization),
    addon: named(addon),
    ...window,
    intervals_in_all: intervalsInAll,
    intervals: intervals.map(({ subject, scope, opened, closed, records }) => ({
      subject: subjectOf(subject),
      scope,
      opened: edgeOf(opened),
      closed: closed && edgeOf(closed),
      records,
    })),
    tokens_in_all: tokensInAll,
    tokens: tokens.map(({ token, closed }) => ({
      grant_id: token.terms.grantId,
      rotation: token.rotation,
      scopes: token.scopes,
      issued_at: timeText(token.issued.created),
      event: `${token.issued.stream}@${token.issued.revision}`,
      expires_at: timeText(token.expiresAt),
      closed: closed && edgeOf(closed),
    })),
    reads_in_all: readsInAll,
    reads: reads.map(({ grantId, list, pages, records, networks, from, until }) => ({
      grant_id: grantId,
      list,
      pages,
      records,
      networks,
      from: timeText(from),
      until: timeText(until),
    })),
    reads_counted_since: timeText(counted.readsCountedSince),
    reads_unattributed: counted.readsUnattributed,
    next: Math.max(intervalsInAll, tokensInAll, readsInAll) > next ? next : null,
  };
};

/** `event` is null when a token expired. */
const edgeOf = ({ at, event }: Edge) => ({
  at: timeText(at),
  event: event && {
    type: event.type,
    stream: event.stream,
    revision: Number(event.revision),
    position: positionText(event.position),
    id: event.id,
  },
});

const textOf = (json: ReturnType<typeof jsonOf>): string => {
  const edge = ({ at, event }: ReturnType<typeof edgeOf>) =>
    `${at} (${event ? `${event.type} ${event.stream}@${event.revision}` : 'the token expired'})`;
  return [
    `What ${nameWithId(json.addon)} could read of ${nameWithId(json.organization)}:`,
    ...(json.intervals.length === 0 ? ['  nothing'] : []),
    ...json.intervals.map(
      ({ subject, scope, opened, closed, records }) =>
        `  ${scope} of ${subject.kind} ${nameWithId(subject)}\n    from ${edge(opened)}\n    to ${closed ? edge(closed) : 'the end of the period or later'}${records === null ? '' : `\n    records that could be read: ${records}`}`,
    ),
    `access tokens in use: ${json.tokens_in_all}`,
    ...json.tokens.map(
      (token) =>
        `  grant ${token.grant_id}, rotation ${token.rotation}: ${token.scopes.join(' ')}, issued ${token.issued_at} (${token.event}), until ${token.closed ? edge(token.closed) : token.expires_at}`,
    ),
    `hours in which lists were read (counted since ${json.reads_counted_since}): ${json.reads_in_all}`,
    ...json.reads.map(
      ({ grant_id, list, pages, records, networks, from, until }) =>
        `  grant ${grant_id}: ${list}, ${amount(pages, 'page')}, ${amount(records, 'record')}, from ${networks.join(', ') || 'unknown networks'}, between ${from} and ${until}`,
    ),
    ...(json.reads_unattributed === 0
      ? []
      : [`pages whose grant is unknown (all add-ons): ${json.reads_unattributed}`]),
    ...(json.next === null ? [] : [`More: --skip ${json.next}`]),
  ].join('\n');
};
