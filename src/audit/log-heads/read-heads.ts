import { z } from 'zod';
import { logHeadStream } from '../../domain/streams.ts';
import type { LogReader } from '../../eventstore/event-store.ts';

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

/** The heads in the log from a revision on, in their order. @throws EventStoreUnavailable */
export const headsFrom = async (
  log: Pick<LogReader, 'readStored'>,
  from: bigint,
): Promise<readonly LoggedHead[]> => {
  const heads: LoggedHead[] = [];
  for (let next = from; ;) {
    const page = await log.readStored(logHeadStream, next, pageSize);
    for (const event of page) heads.push(...toHead(event));
    if (page.length < pageSize) return heads;
    next = (page.at(-1)?.revision ?? next) + 1n;
  }
};

/** @param kept names a head that is in the log, unless the log is another one */
export const newestHead = async (
  log: Pick<LogReader, 'readStored'>,
  kept: { readonly headRevision: bigint } | null,
): Promise<LoggedHead | null> => {
  const from = kept && kept.headRevision > 0n ? kept.headRevision : 0n;
  const heads = await headsFrom(log, from);
  return (heads.length > 0 ? heads : await headsFrom(log, 0n)).at(-1) ?? null;
};
