import type { Parameters } from '../../administration/audit-questions.ts';
import { positionText } from '../../audit/timeline/position-text.ts';
import { nameWithId } from '../../audit/timeline/words.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { parseId, parsePositionOption, wholeFrom1To } from '../base/option-values.ts';
import type { ShownAsOf } from './ask/as-of.ts';
import { askAudit } from './ask-audit.ts';
import { anOffset, aTimeUntil, timeText } from './values.ts';

type Options = {
  readonly organization: string;
  readonly at?: number;
  readonly position?: Position;
  readonly limit: number;
  readonly skip: number;
};

export const addAsOfCommand: AddCommands = (audit, io, run) => {
  const command = leaf(audit, 'as-of', 'show who could read what at a given time, computed from the log');
  command
    .requiredOption('--organization <organization>', 'organization_id', parseId)
    .option('--at <time>', "a past time of the log's clock (RFC 3339, or a date: its end)", aTimeUntil)
    .option('--position <position>', 'the position of an event in the log', parsePositionOption)
    .option('--limit <n>', 'maximum number of grants, up to 10000', wholeFrom1To(10_000), 1000)
    .option('--skip <n>', 'skip this many grants (next page)', anOffset, 0)
    .action((options: Options) => {
      const { at, position } = options;
      if ((at === undefined) === (position === undefined))
        command.error('error: exactly one of --at and --position is required');
      return run(() => askAudit(io, 'as-of', paramsOf(options), textOf));
    });
};

const paramsOf = ({ organization, at, position, limit, skip }: Options): Parameters => ({
  organization,
  at: timeText(at),
  position: position && positionText(position),
  limit: String(limit),
  skip: String(skip),
});

const textOf = (then: ShownAsOf): string => {
  const people = (of: readonly { readonly id: string; readonly name: string | null }[]) =>
    of.length === 0 ? 'none' : of.map(nameWithId).join(', ');
  return [
    `${nameWithId(then.organization)} ${then.existed ? '' : 'did not exist yet '}at ${then.time ?? 'the beginning'} (position ${then.position ?? 'none'}):`,
    `administrators: ${people(then.administrators)}`,
    `auditors: ${people(then.auditors)}`,
    ...then.activations.map(
      ({ addon, status, epoch, suspended, since, by, event }) =>
        `add-on ${nameWithId(addon)}: ${status}${suspended ? ', suspended' : ''}, epoch ${epoch}, since ${since} by ${nameWithId(by)} (${event})`,
    ),
    `live grants: ${then.grants_in_all}; codes not exchanged: ${then.unexchanged_codes}`,
    ...then.grants.map(
      (grant) =>
        `  ${grant.grant_id} of ${nameWithId(grant.addon)} on the records of ${grant.subject.kind} ${nameWithId(grant.subject)}, approved by ${nameWithId(grant.approved_by)}: ${grant.suspended ? 'suspended, ' : ''}open ${grant.open_scopes.length === 0 ? 'nothing' : `${grant.open_scopes.join(' ')} until ${grant.open_until}`}, ${grant.renewable_until === null ? 'not renewable' : `renewable for ${grant.scopes.join(' ')} until ${grant.renewable_until}`}`,
    ),
    ...(then.next === null ? [] : [`More: --skip ${then.next}`]),
  ].join('\n');
};
