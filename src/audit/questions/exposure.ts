import type { Asked, AuditAnswered } from '../../tasks/audit-questions.ts';
import type { ExposureWithReads } from '../exposure/exposure-with-reads.ts';
import type { Edge, Subject } from '../exposure/exposure.ts';
import { positionText } from '../timeline/position-text.ts';
import type { About } from '../../domain/event-subjects.ts';
import { unlessKnown, requireInLog } from './log-positions.ts';
import { noteQuery, timeText } from './note-query.ts';
import { answered, type AuditService, type How } from './service.ts';

export const askExposure = async (
  service: AuditService,
  { organization, addon, from, to, limit = 1000, skip = 0 }: Asked<'exposure'>,
  { signal, passed }: How,
): Promise<AuditAnswered> => {
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
  const found = await service.audit.prepared.answered(
    { kind: 'exposure', parameters: request, by: service.actor.by },
    (stopping, passedHere) =>
      service.audit.exposure(request, stopping, (event) => {
        passedHere(event);
        passed?.(event);
      }),
    signal,
  );
  const subjects = found.intervals.map(({ subject }): About => subject);
  const names = await service.audit.names([...abouts, ...subjects]);
  return answered(jsonOf({ organization, addon, window, next: skip + limit }, found, names));
};

type Query = {
  readonly organization: string;
  readonly addon: string;
  readonly window: object;
  readonly next: number;
};

const jsonOf = (
  { organization, addon, window, next }: Query,
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

export type ShownExposure = ReturnType<typeof jsonOf>;
export type ShownEdge = ReturnType<typeof edgeOf>;
