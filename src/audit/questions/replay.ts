import type { Asked, AuditAnswered } from '../../tasks/audit-questions.ts';
import { replay, type Replay, type Until } from '../replay.ts';
import { positionText } from '../timeline/position-text.ts';
import { refusedAsRemoved, requireInLog } from './log-positions.ts';
import { noteQuery } from './note-query.ts';
import { answered, misusedQuestion, refusedQuestion, type AuditService, type Refused } from './service.ts';

export const askReplay = async (service: AuditService, asked: Asked<'replay'>): Promise<AuditAnswered> => {
  const { stream, from, until, limit = 100 } = asked;
  const { log } = service.audit;
  const [first] = await log.readStored(stream, 0n, 1);
  // The first events of a session may have expired.
  if (!first && (await log.readStored(stream, 1n, 1)).length === 0)
    return (
      (await refusedAsRemoved(service, stream)) ??
      refusedQuestion('stream-unknown', `there is no stream ${stream}`)
    );
  const absent = await unlessInStream(service, stream, { until, from });
  if (absent) return absent;
  await noteQuery(service, 'replay', {
    parameters: { stream, until: until && untilText(until), from: from?.toString(), limit },
  });
  const done = await replay(service.audit, { stream, limit, until, from });
  return answered(jsonOf(stream, done));
};

const untilText = (until: Until): string => {
  if ('revision' in until) return until.revision.toString();
  return 'position' in until ? positionText(until.position) : new Date(until.time).toISOString();
};

const unlessInStream = async (
  service: AuditService,
  stream: string,
  { until: end, from }: { readonly until: Until | undefined; readonly from: bigint | undefined },
): Promise<Refused | null> => {
  const last = end && 'revision' in end ? end.revision : undefined;
  for (const [option, revision] of [['--until', last] as const, ['--from', from] as const])
    if (revision !== undefined && (await service.audit.log.readStored(stream, revision, 1)).length === 0)
      return misusedQuestion(
        `${option} ${revision} does not exist: ${stream} has no event of this revision yet`,
      );
  return requireInLog(service, [{ option: '--until', ...end }]);
};

export type Replayed = ReturnType<typeof jsonOf>;

const jsonOf = (stream: string, { steps, next }: Replay) => ({
  stream,
  steps: steps.map(({ event, stored, data, state }) => ({
    revision: Number(stored.revision),
    position: positionText(stored.position),
    time: new Date(stored.created).toISOString(),
    event_id: stored.id,
    type: stored.type,
    actor: event?.metadata.actor ?? null,
    readable: event !== null,
    data,
    state,
  })),
  next: next === null ? null : Number(next),
});
