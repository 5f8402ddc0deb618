import { positionText } from '../timeline/position-text.ts';
import { timeProblem } from '../timeline/time-in-log.ts';
import { comparePositions, type Position, type StoredEvent } from '../../eventstore/event-store.ts';
import { misusedQuestion, type AuditService, type Refused, refusedQuestion } from './service.ts';
import { removalOf } from '../retention/removals.ts';
import type { About } from '../../domain/event-subjects.ts';
import { grantStream } from '../../domain/streams.ts';

/** The value of an option: a position of the log, or a time of its clock (milliseconds since the Unix epoch). */
export type LogPosition = {
  readonly option: string;
  readonly position?: Position | undefined;
  readonly time?: number | undefined;
};

/** Refuses positions and times that are not in the log or in the future, whose answer could change. Null when all are valid. */
export const requireInLog = async (
  service: AuditService,
  places: readonly LogPosition[],
): Promise<Refused | null> => {
  for (const { option, position, time } of places) {
    const event = position && (await requireEvent(service, option, position));
    if (event && 'ok' in event) return event;
    if (time === undefined) continue;
    const problem = await timeProblem({ store: service.store, now: service.audit.now }, time);
    if (problem) return misusedQuestion(`${option} ${new Date(time).toISOString()} ${problem.why}`);
  }
  return null;
};

/** The event at a position; or the refusal if there is none. */
export const requireEvent = async (
  { store }: Pick<AuditService, 'store'>,
  option: string,
  position: Position,
): Promise<StoredEvent | Refused> => {
  const text = positionText(position);
  const head = await store.head();
  if (!head || comparePositions(position, head) > 0)
    return misusedQuestion(
      head
        ? `${option} ${text} is after the end of the log: the newest event is at ${positionText(head)}`
        : `${option} ${text} does not exist: the log is empty`,
    );
  return (
    (await store.eventAt(position)) ??
    misusedQuestion(`${option} ${text} does not exist: no event has this position`)
  );
};

const words = { organization: 'organization', addon: 'add-on', user: 'user', grant: 'grant' } as const;

/** Refuses a subject that never occurred in the log; null when it is known. */
export const unlessKnown = async (service: AuditService, about: About): Promise<Refused | null> =>
  (await service.audit.timeline.exists(about))
    ? null
    : ((about.kind === 'grant' ? await refusedAsRemoved(service, grantStream(about.id)) : null) ??
      refusedQuestion(
        `${about.kind}-unknown`,
        `no ${words[about.kind]} has the id ${about.id} of --${about.kind}`,
      ));

/** Refuses a stream that documented retention has removed; null for every other. */
export const refusedAsRemoved = async (
  { store }: Pick<AuditService, 'store'>,
  stream: string,
): Promise<Refused | null> => {
  const removed = await removalOf(store, stream);
  return (
    removed &&
    refusedQuestion(
      'removed',
      `${stream} was removed at ${new Date(removed.at).toISOString()} by documented retention, as ${removed.category} (docs/reference/retention.md)`,
    )
  );
};
