import { canonicalJson, BadJws, parsePayload, verifyJws, type Jwks } from '#verify';
import { z } from 'zod';
import type { EventOf } from '../../domain/events.ts';
import type { SignJws } from '../../signing/sign-jws.ts';
import { logCopyStream } from '../../domain/streams.ts';
import type { EventStore, RecordedEvent } from '../../eventstore/event-store.ts';

export const logCopyFormat = 'grantbook-log-copy/1';

type LogCopied = EventOf<'LogCopied'>['data'];

export const signCopy = async (sign: SignJws, copy: Omit<LogCopied, 'jws'>): Promise<LogCopied> => ({
  ...copy,
  jws: await sign('log-copy+jws', textOf(copy)),
});

/** Verifies that the content of the event is what was signed. @throws BadJws */
export const verifyCopy = async (
  { events, streams, streamsLeftOut, head, at, jws }: LogCopied,
  kept: Jwks | null,
): Promise<{ readonly trusted: boolean }> => {
  const { payload, trusted } = await verifyJws(jws, 'log-copy+jws', kept);
  parsePayload(z.looseObject({ format: z.literal(logCopyFormat) }), payload);
  if (payload !== textOf({ events, streams, streamsLeftOut, head, at }))
    throw new BadJws('says something else than was signed');
  return { trusted };
};

const textOf = (copy: Omit<LogCopied, 'jws'>): string => canonicalJson({ ...copy, format: logCopyFormat });

/** Records that the log was copied from another one: the events before `position` were stored here again. */
export type LogCopy = EventOf<'LogCopied'>['data'] & Pick<RecordedEvent, 'position'>;

const toCopy = ({ event, position }: RecordedEvent): readonly LogCopy[] =>
  event.type === 'LogCopied' ? [{ ...event.data, position }] : [];

/** The newest copy that made this log; null for one that was not copied. @throws EventStoreUnavailable, StreamUnreadable */
export const newestCopy = async (log: Pick<EventStore, 'readBack'>): Promise<LogCopy | null> => {
  const { events } = await log.readBack(logCopyStream, 'end', 1);
  return events.flatMap(toCopy)[0] ?? null;
};

/** Ordered from the oldest: a log may be copied several times. @throws EventStoreUnavailable, StreamUnreadable */
export const copiesOf = async (log: Pick<EventStore, 'read'>): Promise<readonly LogCopy[]> =>
  (await log.read(logCopyStream)).events.flatMap(toCopy);
