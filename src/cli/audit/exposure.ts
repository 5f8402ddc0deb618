import type { Parameters } from '../../administration/audit-questions.ts';
import { nameWithId } from '../../audit/timeline/words.ts';
import { amount } from '../base/answer.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { parseId, wholeFrom1To } from '../base/option-values.ts';
import type { ShownEdge, ShownExposure } from './ask/exposure.ts';
import { askAudit } from './ask-audit.ts';
import { anOffset, aTime, aTimeUntil, timeText } from './values.ts';

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
      return run(() => askAudit(io, 'exposure', paramsOf(options), textOf));
    });
};

const paramsOf = ({ organization, addon, from, to, limit, skip }: Options): Parameters => ({
  organization,
  addon,
  from: timeText(from),
  to: timeText(to),
  limit: String(limit),
  skip: String(skip),
});

const textOf = (json: ShownExposure): string => {
  const edge = ({ at, event }: ShownEdge) =>
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
