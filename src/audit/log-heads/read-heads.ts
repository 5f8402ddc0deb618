import { z } from 'zod';
import { logHeadStream } from '../../domain/streams.ts';
import type { EventStore, LogReader } from '../../eventstore/event-store.ts';

const shape = z.looseObject({
  size: z.int().min(0),
  root: z.string(),
  at: z.number(),
  jws: z.string(),
});

/** A head as it is in the log, of which nothing was checked. */
export type LoggedHead = z.output<typeof shape> & { readonly revision: bigint };

/** Of what is no head nothing is said here: whoever needs it misses it. */
const toHead = ({ type, data, revision }: { type: string; data: unknown; revision: bigint }) => {
  const read = shape.safeParse(data);
  return type === 'LogHeadSigned' && read.success ? [{ ...read.data, revision }] : [];
};

const pageSize = 500;

/** The heads in the log from a revision on, in their order, or so many of them. @throws EventStoreUnavailable */
export const headsFrom = async (
  log: Pick<LogReader, 'readStored'>,
  from: bigint,
  most = Infinity,
): Promise<readonly LoggedHead[]> => {
  const heads: LoggedHead[] = [];
  for (let next = from; ;) {
    const page = await log.readStored(logHeadStream, next, Math.min(pageSize, most));
    for (const event of page) heads.push(...toHead(event));
    if (page.length < pageSize || heads.length >= most) return heads;
    next = (page.at(-1)?.revision ?? next) + 1n;
  }
};

/** Null for none. @throws EventStoreUnavailable */
export const newestHead = async (log: Pick<EventStore, 'readEnd'>): Promise<LoggedHead | null> => {
  const [newest] = await log.readEnd(logHeadStream, 'last', 1);
  return (newest && toHead({ ...newest.event, revision: newest.revision })[0]) ?? null;
};
