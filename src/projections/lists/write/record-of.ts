import type { RecordedEvent } from '../../../eventstore/event-store.ts';
import { isOwnId, isRecordId } from '../../../domain/kernel/ids.ts';
import { eachRecord } from '../../../domain/records/each-record.ts';
import { categoryOf, idsOf } from '../../../domain/kernel/stream-name.ts';
import type { ListName } from './operations.ts';

/** The record that an event of the lists is about, and its owner, as far as the event says it. */
export type RecordOf = {
  readonly list: ListName | null;
  readonly organizationId: string | null;
  readonly recordId: string | null;
  readonly profileId: string | null;
  readonly userId: string | null;
};

const listOf: Readonly<Record<string, ListName>> = eachRecord('category', ({ table }) => table);

/** @param content null where the event cannot be decoded: then only its stream is known */
export const recordOf = (stream: string, content: RecordedEvent | null): RecordOf => {
  const list = listOf[categoryOf(stream)];
  const [organizationId, recordId] = idsOf(stream);
  if (list === undefined || organizationId === '')
    return { list: null, organizationId: null, recordId: null, profileId: null, userId: null };
  const { profileId, userId } = ownersIn(content);
  return {
    list,
    organizationId,
    recordId,
    profileId: list === 'profiles' ? recordId : textOrNull(profileId, isRecordId),
    userId: list === 'profiles' ? textOrNull(userId, isOwnId) : null,
  };
};

const ownersIn = (content: RecordedEvent | null): { profileId?: unknown; userId?: unknown } =>
  content === null ? {} : (content.event.data as object);

/** A text that cannot be an id belongs to nobody, and the database might reject it. */
const textOrNull = (id: unknown, isId: (text: string) => boolean): string | null =>
  typeof id === 'string' && isId(id) ? id : null;
