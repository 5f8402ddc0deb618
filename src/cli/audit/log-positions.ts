import { positionText } from '../../audit/position-text.ts';
import { timeProblem } from '../../audit/time-in-log.ts';
import { comparePositions, type Position, type StoredEvent } from '../../eventstore/event-store.ts';
import { misused, type Answer } from '../answer.ts';
import type { CliService } from '../service.ts';

/** What an option names: a position of the log, or a time of its clock (milliseconds since the Unix epoch). */
export type LogPosition = {
  readonly option: string;
  readonly position?: Position | undefined;
  readonly time?: number | undefined;
};

/**
 * Whether every place that is asked about is one of the log's, and not one to come: of what is to come nobody knows anything, and an
 * answer about it would be another one tomorrow. Null when it is so.
 */
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

/** The event at a position; or the answer that there is none. */
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
        ? `${option} ${text} is to come: the newest event of the log is at ${positionText(head)}`
        : `${option} ${text} is to come: the log is empty`,
    );
  return (
    (await store.eventAt(position)) ??
    misused(`${option} ${text} does not exist: no event of the log is at this position`)
  );
};
