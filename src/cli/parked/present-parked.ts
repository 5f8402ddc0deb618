import type { ParkedEvent, ParkedKeyState } from '../../projections/parking/parked-rows.ts';
import type { Retried } from '../../projections/parking/retry-parked.ts';
import { describeStaleness, stalenessOf } from '../../projections/follow/staleness.ts';
import { amount, answer, lines, type Answer } from '../base/answer.ts';
import { listText } from '../base/list.ts';
import { positionText } from '../../audit/timeline/position-text.ts';

export const parkedColumns = ['read_model', 'key', 'event', 'type', 'since', 'parked', 'stale'];

export const presentParked = (keys: readonly ParkedKeyState[], chosen?: readonly string[]): Answer => {
  const items = keys.map(({ first, events }) => ({
    read_model: groupText(first),
    key: first.stream,
    event: first.eventId,
    type: first.type,
    since: new Date(first.parkedAt).toISOString(),
    parked: amount(events, 'event'),
    stale: describeStaleness(stalenessOf(first.projection, first.stream)),
  }));
  return answer(
    { keys: keys.map(({ first, events }) => ({ ...keyJson(first), events })) },
    lines(
      listText({ columns: parkedColumns, items, none: 'Nothing is parked.' }, chosen),
      ...keys.map(
        ({ first }) =>
          `${first.eventId}: ${first.error ?? 'waits'}${first.closes === null ? '' : `; closed: ${first.closes}`}`,
      ),
    ),
  );
};

const keyJson = (first: ParkedEvent) => ({
  checkpoint: first.checkpoint,
  projection: first.projection,
  stream: first.stream,
  event: {
    id: first.eventId,
    type: first.type,
    revision: String(first.revision),
    position: positionText(first.position),
  },
  error: first.error,
  closes: first.closes,
  since: new Date(first.parkedAt).toISOString(),
  stale: staleJson(first),
});

const staleJson = (first: ParkedEvent) => {
  const { what, ids } = stalenessOf(first.projection, first.stream);
  return { what, ...ids };
};

/** The name of the consumer; a candidate version is marked as such. */
const groupText = ({ checkpoint, projection }: ParkedEvent): string =>
  checkpoint.startsWith('rebuild:') ? checkpoint : projection;

/** `retried` is null when a newer version has parked the event. */
export type KeyRetried = { readonly key: ParkedEvent; readonly retried: Retried | null };

/** Exit code 1 when a key is still parked. */
export const presentRetried = (keys: readonly KeyRetried[], skipped?: string): Answer => {
  const isFree = ({ retried }: KeyRetried) => retried !== null && retried.stillAt === null;
  return {
    exitCode: keys.every(isFree) ? 0 : 1,
    json: {
      ...(skipped !== undefined && { skipped }),
      keys: keys.map((one) => ({
        checkpoint: one.key.checkpoint,
        projection: one.key.projection,
        stream: one.key.stream,
        parked: !isFree(one),
        applied: one.retried?.applied ?? 0,
        left_out: one.retried?.leftOut ?? 0,
        ...(one.retried?.stillAt && {
          event: one.retried.stillAt.eventId,
          error: one.retried.stillAt.error,
        }),
      })),
    },
    text: keys.length === 0 ? 'Nothing is parked.' : keys.map(lineOf).join('\n'),
  };
};

const lineOf = ({ key, retried }: KeyRetried): string => {
  const name = `${groupText(key)} ${key.stream}`;
  if (retried === null) return `${name}: this version of Grantbook does not know that read model.`;
  const done = `${retried.applied} applied${retried.leftOut > 0 ? `, ${retried.leftOut} left out` : ''}`;
  if (retried.stillAt === null) return `${name}: no longer parked (${done}).`;
  return `${name}: still parked at ${retried.stillAt.type} ${retried.stillAt.eventId} (${done}): ${retried.stillAt.error}.`;
};
