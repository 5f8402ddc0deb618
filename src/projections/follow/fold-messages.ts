import { subjectOfStream } from '../../domain/fence/fence.ts';
import type { EventReference, LogMessage, ReadEvent, RecordedEvent } from '../../eventstore/event-store.ts';
import { referenceOf, type ToPark } from '../parking/park.ts';
import type { ParkedKeys, Route } from '../parking/parked-keys.ts';
import { FoldFailed } from '../parking/poison.ts';
import type { Batch, Projection } from './projection.ts';

/** The result for some messages: rows to write, and events to add to their parked keys. */
export type Folded = { readonly batches: readonly Batch[]; readonly waiting: readonly ToPark[] };

/** @param parked without it nothing is ever parked */
export const foldAll = (
  projections: readonly Projection[],
  messages: readonly LogMessage[],
  parked: ParkedKeys | undefined,
): Folded => {
  const work = projections.map((projection) => ({ projection, batch: projection.begin() }));
  const waiting: ToPark[] = [];
  const known = parked && !parked.isEmpty() ? parked : null;
  for (const message of messages) {
    if (message.kind !== 'event' && message.kind !== 'unreadable') continue;
    for (const { projection, batch } of work) {
      const route = known === null ? 'apply' : routeOf(known, projection, message);
      if (route === 'apply') applyTo(batch, projection, message);
      else if (route === 'wait') waiting.push(toPark(projection, message, null));
    }
  }
  return { batches: work.map(({ batch }) => batch), waiting };
};

/** @throws FoldFailed */
export const applyTo = (batch: Batch, projection: Projection, message: ReadEvent): void => {
  if (message.kind === 'unreadable') {
    if (message.maySkip) batch.passOver?.(message.event);
    else if (wants(projection, message)) throw new FoldFailed(message.problem);
    return;
  }
  try {
    batch.apply(message.event);
  } catch (error) {
    throw new FoldFailed('A read model could not fold an event', { cause: error });
  }
};

export const routeOf = (parked: ParkedKeys, projection: Projection, message: ReadEvent): Route => {
  const route = parked.routeOf(projection.name, message.event);
  if (route === 'wait' && projection.closes) return 'apply';
  return route === 'wait' && !wants(projection, message) ? 'leave-out' : route;
};

const wants = ({ eventTypes }: Projection, message: ReadEvent): boolean =>
  (eventTypes as readonly string[]).includes(typeOf(message));

const typeOf = (message: ReadEvent): string =>
  message.kind === 'event' ? message.event.event.type : message.event.type;

export const toPark = (projection: Projection, message: ReadEvent, error: string | null): ToPark => ({
  projection: projection.name,
  event: referenceIn(message),
  content: contentOf(message),
  error,
  closes: projection.closes ? subjectOfStream(message.event.stream) : null,
});

export const referenceIn = (message: ReadEvent): EventReference =>
  message.kind === 'event' ? referenceOf(message.event) : message.event;

const contentOf = (message: ReadEvent): RecordedEvent | null =>
  message.kind === 'event' ? message.event : null;
