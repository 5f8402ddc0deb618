import { aboutOf, type Asked, type AuditAnswered } from '../../tasks/audit-questions.ts';
import { newestRemoval } from '../retention/removals.ts';
import { positionText } from '../timeline/position-text.ts';
import { presentPage } from '../timeline/present-timeline.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { unlessKnown, requireInLog } from './log-positions.ts';
import { noteQuery, timeText } from './note-query.ts';
import { answered, misusedQuestion, type AuditService, type How } from './service.ts';

/** In milliseconds. Longer than a maintained index needs; if the index is off, there is nothing to wait for. */
const settleMs = 3000;

export const askTimeline = async (
  service: AuditService,
  asked: Asked<'timeline'>,
  { signal }: How,
): Promise<AuditAnswered> => {
  const { from, to, type, actor, after, before, limit = 50, records: withRecords } = asked;
  const about = aboutOf(asked);
  // Whether it is about all acts of one actor, and of nothing else.
  const acted = about !== null && about.id === actor && asked[about.kind] === undefined;
  if (about === null || (acted && !isUlid(about.id)))
    return misusedQuestion('--actor without another filter needs a user_id');
  const unknown = await unlessKnown(service, about);
  if (unknown) return unknown;
  const absent = await requireInLog(service, [
    { option: '--from', time: from },
    { option: '--to', time: to },
    { option: '--after', position: after },
    { option: '--before', position: before === 'end' ? undefined : before },
  ]);
  if (absent) return absent;
  const records = withRecords === 'true';
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
      records: records || undefined,
    },
  });
  const complete = await service.audit.settled(settleMs);
  const request = {
    about,
    acted,
    limit,
    after,
    before,
    filters: { eventTypes: type, actor, from, to },
    records,
  };
  const page = await service.audit.timeline.page(request, signal);
  const removal = await newestRemoval(service.store);
  const removedUntil = removal && new Date(removal.at).toISOString();
  return answered({ ...presentPage(page), complete, removed_until: removedUntil });
};
