import { positionText } from '../../audit/timeline/position-text.ts';
import { timeProblem } from '../../audit/timeline/time-in-log.ts';
import { comparePositions, type Position, type StoredEvent } from '../../eventstore/event-store.ts';
import { misused, type Answer } from '../base/answer.ts';
import type { CliService } from '../base/service.ts';

/** The value of an option: a position of the log, or a time of its clock (milliseconds since the Unix epoch). */
export type LogPosition = {
  readonly option: string;
  readonly position?: Position | undefined;
  readonly time?: number | undefined;
};

/** Refuses positions and times that are not in the log or in the future, whose answer could change. Null when all are valid. */
export const requireInLog = async (
  service: CliService,
  places: readonly LogPosition[],
): Promise<Answer | null> => {
  for (const { option, position, time } of places) {
    const event = position && (await requireEvent(service, option, position));
    if (event && 'exitCode' in event) return event;
    if (time === undefined) continue;
    const problem = await timeProblem({ store: service.store, now: service.audit.now }, time);
    if (problem) return misused(`${option} ${new Date(time).toISOString()} ${problem.why}`);
  }
  return null;
};

/** The event at a position; or the refusal if there is none. */
export const requireEvent = async (
  { store }: Pick<CliService, 'store'>,
  option: string,
  position: Position,
): Promise<StoredEvent | Answer> => {
  const text = positionText(position);
  const head = await store.head();
  if (!head || comparePositions(position, head) > 0)
    return misused(
      head
        ? `${option} ${text} is after the end of the log: the newest event is at ${positionText(head)}`
        : `${option} ${text} does not exist: the log is empty`,
    );
  return (
    (await store.eventAt(position)) ?? misused(`${option} ${text} does not exist: no event has this position`)
  );
};
