import type { AsOf, GrantThen, Moment } from '../../audit/timeline/as-of.ts';
import { nameWithId } from '../../audit/timeline/entries.ts';
import { positionText } from '../../audit/timeline/position-text.ts';
import type { About } from '../../domain/event-subjects.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { answer, type Answer } from '../base/answer.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { parseId, parsePositionOption, wholeFrom1To } from '../base/option-values.ts';
import { withNamedOptions } from '../base/named-options.ts';
import { withService, type CliService } from '../base/service.ts';
import { unlessKnown } from './about.ts';
import { noteQuery, timeText } from './note-query.ts';
import { requireEvent, requireInLog } from './log-positions.ts';
import { anOffset, aTimeUntil } from './values.ts';

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
      return run(() =>
        withService(
          io,
          (service) => withNamedOptions(service, options, (given) => show(service, given, io.signal)),
          'auditor',
        ),
      );
    });
};

const show = async (service: CliService, options: Options, signal: AbortSignal): Promise<Answer> => {
  const { organization, at, position, limit, skip } = options;
  const about: About = { kind: 'organization', id: organization };
  const unknown = await unlessKnown(service, about);
  if (unknown) return unknown;
  const moment = await momentOf(service, options);
  if ('exitCode' in moment) return moment;
  await noteQuery(service, 'as-of', {
    organizationId: organization,
    parameters: { at: timeText(at), position: position && positionText(position), limit, skip },
  });
  const then = await service.audit.asOf(organization, moment, signal);
  const grants = then.grants.slice(skip, skip + limit);
  const next = skip + grants.length < then.grants.length ? skip + grants.length : null;
  const names = await service.audit.names([about, ...mentioned(then, grants)]);
  const json = jsonOf(about, then, grants, next, names);
  return answer(json, textOf(json));
};

const momentOf = async (service: CliService, { at, position }: Options): Promise<Moment | Answer> => {
  if (position) {
    const event = await requireEvent(service, '--position', position);
    return 'exitCode' in event ? event : { position, time: event.created };
  }
  const time = at ?? service.audit.now();
  return (await requireInLog(service, [{ option: '--at', time }])) ?? { time };
};

const mentioned = ({ organization, activations }: AsOf, grants: readonly GrantThen[]): readonly About[] => [
  ...activations.map(({ addonId }) => ({ kind: 'addon' as const, id: addonId })),
  ...activations.map(({ by }) => ({ kind: 'user' as const, id: by })),
  ...peopleOf(organization, 'administrators').map((id) => ({ kind: 'user' as const, id })),
  ...peopleOf(organization, 'auditors').map((id) => ({ kind: 'user' as const, id })),
  ...grants.flatMap(({ grant: { terms } }) => [
    { kind: 'user' as const, id: terms.userId },
    { kind: 'addon' as const, id: terms.addonId },
  ]),
];

const peopleOf = (organization: AsOf['organization'], which: 'administrators' | 'auditors') =>
  organization.status === 'created' ? organization[which] : [];

const timeOf = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString();

const jsonOf = (
  { id }: About,
  { organization, activations, position, time, codes, grants }: AsOf,
  shown: readonly GrantThen[],
  next: number | null,
  names: ReadonlyMap<string, string>,
) => {
  const named = (of: string) => ({ id: of, name: names.get(of) ?? null });
  return {
    organization: named(id),
    existed: organization.status === 'created',
    position: position && positionText(position),
    time: timeOf(time),
    administrators: peopleOf(organization, 'administrators').map(named),
    auditors: peopleOf(organization, 'auditors').map(named),
    activations: activations.map(({ addonId, status, epoch, since, by, suspended }) => ({
      addon: named(addonId),
      status,
      epoch,
      suspended,
      since: timeOf(since.created),
      by: named(by),
      event: `${since.stream}@${since.revision}`,
    })),
    grants_in_all: grants.length,
    grants: shown.map(({ grant: { terms, issued }, openScopes, openUntil, renewableUntil, suspended }) => ({
      grant_id: terms.grantId,
      addon: named(terms.addonId),
      subject:
        terms.subject.kind === 'organization'
          ? { kind: 'organization', ...named(terms.subject.organizationId) }
          : { kind: 'user', ...named(terms.subject.userId) },
      epoch: terms.subject.epoch,
      approved_by: named(terms.userId),
      scopes: terms.scopes,
      open_scopes: openScopes,
      open_until: timeOf(openUntil),
      renewable_until: timeOf(renewableUntil),
      suspended,
      issued_at: timeOf(issued.created),
      event: `${issued.stream}@${issued.revision}`,
    })),
    next,
    unexchanged_codes: codes,
  };
};

const textOf = (then: ReturnType<typeof jsonOf>): string => {
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
