import type { Asked, AuditAnswered } from '../../tasks/audit-questions.ts';
import { timeOrNull } from '../../common/iso-time.ts';
import type { AsOf, GrantThen, Moment } from '../timeline/as-of.ts';
import { positionText } from '../timeline/position-text.ts';
import type { About } from '../../domain/event-subjects.ts';
import { unlessKnown, requireEvent, requireInLog } from './log-positions.ts';
import { noteQuery, timeText } from './note-query.ts';
import { answered, type Refused, type AuditService, type How } from './service.ts';

export const askAsOf = async (
  service: AuditService,
  asked: Asked<'as-of'>,
  { signal }: How,
): Promise<AuditAnswered> => {
  const { organization, at, position, limit = 1000, skip = 0 } = asked;
  const about: About = { kind: 'organization', id: organization };
  const unknown = await unlessKnown(service, about);
  if (unknown) return unknown;
  const moment = await momentOf(service, asked);
  if ('ok' in moment) return moment;
  await noteQuery(service, 'as-of', {
    organizationId: organization,
    parameters: { at: timeText(at), position: position && positionText(position), limit, skip },
  });
  const then = await service.audit.prepared.answered(
    {
      kind: 'as-of',
      parameters: { organization, time: moment.time, position: position && positionText(position) },
      by: service.actor.by,
    },
    (stopping) => service.audit.asOf(organization, moment, stopping),
    signal,
  );
  const grants = then.grants.slice(skip, skip + limit);
  const next = skip + grants.length < then.grants.length ? skip + grants.length : null;
  const names = await service.audit.names([about, ...mentioned(then, grants)]);
  return answered(jsonOf(about, then, grants, next, names));
};

const momentOf = async (
  service: AuditService,
  { at, position }: Asked<'as-of'>,
): Promise<Moment | Refused> => {
  if (position) {
    const event = await requireEvent(service, '--position', position);
    return 'ok' in event ? event : { position, time: event.created };
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
    time: timeOrNull(time),
    administrators: peopleOf(organization, 'administrators').map(named),
    auditors: peopleOf(organization, 'auditors').map(named),
    activations: activations.map(({ addonId, status, epoch, since, by, suspended }) => ({
      addon: named(addonId),
      status,
      epoch,
      suspended,
      since: timeOrNull(since.created),
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
      open_until: timeOrNull(openUntil),
      renewable_until: timeOrNull(renewableUntil),
      suspended,
      issued_at: timeOrNull(issued.created),
      event: `${issued.stream}@${issued.revision}`,
    })),
    next,
    unexchanged_codes: codes,
  };
};

export type ShownAsOf = ReturnType<typeof jsonOf>;
