import { english } from '../../common/words.ts';
import type { Owner } from '../../domain/event-subjects.ts';
import type { EventOf } from '../../domain/events.ts';
import { accountStream, activationStream, consentStream } from '../../domain/streams.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import { streamThrough, type EventDependencies } from '../read-events.ts';
import { markName, sentenceOf, type Sentence } from '../../domain/kernel/sentence.ts';
import type { Because } from './timeline.ts';
import { actorWords, markedNameWithId } from './words.ts';

/** The event that caused the end of a grant, where that is another event than the one that recorded it. */
export type CauseOf = (ended: RecordedEvent, owner: Owner | null) => Promise<RecordedEvent | null>;

/** Finds causes in the stream that must contain them; each stream is read once. */
export const makeCauseOf = (dependencies: EventDependencies): CauseOf => {
  const streams = new Map<string, Promise<ReadonlyMap<string, RecordedEvent>>>();
  const eventsOf = (stream: string) => {
    const known = streams.get(stream) ?? readAll(dependencies, stream);
    streams.set(stream, known);
    return known;
  };
  return async ({ event, metadata }, owner) => {
    if (event.type !== 'GrantRevoked' || owner === null || metadata.causationId === undefined) return null;
    const stream = streamOfCause(event, owner);
    return stream === null ? null : ((await eventsOf(stream)).get(metadata.causationId) ?? null);
  };
};

const readAll = async (
  dependencies: EventDependencies,
  stream: string,
): Promise<ReadonlyMap<string, RecordedEvent>> => {
  const events = new Map<string, RecordedEvent>();
  for await (const { recorded } of streamThrough(dependencies, stream))
    if (recorded && causes.has(recorded.event.type)) events.set(recorded.id, recorded);
  return events;
};

const causes = new Set(['AddonDeactivated', 'ConsentWithdrawn', 'AccountDisabled', 'AccountErased']);

const streamOfCause = (
  { data: { reason } }: EventOf<'GrantRevoked'>,
  { organizationId, addonId, userId }: Owner,
): string | null => {
  if (reason === 'addon-deactivated' && organizationId !== null && addonId !== null)
    return activationStream(organizationId, addonId);
  if (reason === 'consent-withdrawn' && userId !== null && addonId !== null)
    return consentStream(userId, addonId);
  return reason === 'account-disabled' && userId !== null ? accountStream(userId) : null;
};

const causeWords = ({ time, actor, place }: NonNullable<Because['cause']>): string => {
  const by = actorWords(actor, markedNameWithId);
  return ` at ${time}${by === null ? '' : ` by ${by}`} (${place})`;
};

/** For programs, with ids. */
export const whySentence = ({ kind, cause, given }: Because): Sentence =>
  sentenceOf(
    [
      ...(kind === null ? [] : [`${english.auditLog.reasons[kind]}${cause ? causeWords(cause) : ''}`]),
      ...(given === null ? [] : [markName(given)]),
    ].join(': '),
  );
