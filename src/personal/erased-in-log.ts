import { streamOfPerson, type PersonalSubject } from '../domain/personal-data.ts';
import { codec } from '../eventstore/codec/codec.ts';
import type { LogReader, StoredEvent } from '../eventstore/event-store.ts';

const page = 500;

/** Whether the stream of an account or a profile says that the person was erased. Decodes no personal data. */
export const isErasedIn = async (
  log: Pick<LogReader, 'readStored'>,
  subject: PersonalSubject,
): Promise<boolean> => {
  for (let from = 0n; ;) {
    const events = await log.readStored(streamOfPerson(subject), from, page);
    if (events.some(saysErased)) return true;
    const last = events.at(-1);
    if (!last || events.length < page) return false;
    from = last.revision + 1n;
  }
};

/** An event that cannot be decoded does not count: a tombstone is permanent. */
const saysErased = ({ stream: streamId, created, ...event }: StoredEvent): boolean => {
  if (event.type !== 'AccountErased' && event.type !== 'ProfileErased') return false;
  try {
    codec.decode({ ...event, streamId, created: new Date(created) });
    return true;
  } catch {
    return false;
  }
};
