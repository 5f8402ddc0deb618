import { newestCopy } from '../../audit/log-copies/read-copies.ts';
import { positionText } from '../../audit/position-text.ts';
import { comparePositions, type Position, type StoredEvent } from '../../eventstore/event-store.ts';
import { misused, type Answer } from '../answer.ts';
import type { CliService } from '../service.ts';

/** What an option names: a position of the log, or a time of its clock (milliseconds since the Unix epoch). */
export type Place = {
  readonly option: string;
  readonly position?: Position | undefined;
  readonly time?: number | undefined;
};

/**
 * Whether every place that is asked about is one of the log's, and not one to come: of what is to come nobody knows anything, and an
 * answer about it would be another one tomorrow. Null when it is so.
 */
export const unlessThere = async (service: CliService, places: readonly Place[]): Promise<Answer | null> => {
  for (const place of places) {
    const problem =
      (place.position && (await eventThere(service, place.option, place.position))) ??
      (place.time === undefined
        ? null
        : ((await whyToCome(service, place.option, place.time)) ??
          (await whyBeforeCopy(service, place.option, place.time))));
    if (problem && 'exitCode' in problem) return problem;
  }
  return null;
};

/** The event at a position; or the answer that there is none. */
export const eventThere = async (
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

/** A copy has none of the times at which the log that it was made from stored its events. */
const whyBeforeCopy = async (
  { store }: Pick<CliService, 'store'>,
  option: string,
  time: number,
): Promise<Answer | null> => {
  const copy = await newestCopy(store);
  if (copy === null || time >= copy.at) return null;
  const [asked, copied] = [time, copy.at].map((at) => new Date(at).toISOString());
  return misused(
    `${option} ${asked} lies before ${copied}, when this log was copied from another one: what was stored before has the time of the copy here. Name a later time or a position, or ask the log that was copied (docs/log-copy.md)`,
  );
};

/** By the later of this machine's clock and the log's. */
const whyToCome = async (
  { store, audit }: Pick<CliService, 'store' | 'audit'>,
  option: string,
  time: number,
): Promise<Answer | null> => {
  if (time <= audit.now()) return null;
  const head = await store.head();
  const newest = head && (await store.eventAt(head));
  return newest && time <= newest.created
    ? null
    : misused(`${option} ${new Date(time).toISOString()} is to come: nobody knows what happens until then`);
};
