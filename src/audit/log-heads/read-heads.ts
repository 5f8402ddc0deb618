import { z } from 'zod';
import { logHeadStream } from '../../domain/streams.ts';
import { isOfNewerVersion } from '../../eventstore/codec/codec.ts';
import {
  comparePositions,
  type EventStore,
  type ExpectedRevision,
  type LogReader,
  type Position,
} from '../../eventstore/event-store.ts';
import { newestCopy } from '../log-copies/log-copy.ts';
import type { EventOf } from '../../domain/events.ts';

const shape = z.looseObject({
  size: z.int().min(0),
  root: z.string(),
  at: z.number(),
  jws: z.string(),
});

/** A head from the log, not verified. */
export type LoggedHead = z.output<typeof shape> & { readonly revision: bigint };

/** The same with its own position in the log, which is after the events that it is over. */
export type PlacedHead = { readonly head: LoggedHead; readonly storedAt: Position };

type Stored = {
  readonly type: string;
  readonly data: unknown;
  readonly revision: bigint;
  readonly position: Position;
};

/** Events that are not heads are left out without an error: callers notice when a head that they need is missing. */
const toHead = ({ type, data, revision, position }: Stored): readonly PlacedHead[] => {
  const read = shape.safeParse(data);
  return type === 'LogHeadSigned' && read.success
    ? [{ head: { ...read.data, revision }, storedAt: position }]
    : [];
};

const pageSize = 500;

/** Heads in the log from a revision on, up to a number, with those of a log that it was copied from. @throws EventStoreUnavailable */
export const placedHeadsFrom = async (
  log: Pick<LogReader, 'readStored'>,
  from: bigint,
  most = Infinity,
): Promise<readonly PlacedHead[]> => {
  const heads: PlacedHead[] = [];
  for (let next = from; ;) {
    const count = Math.min(pageSize, most - heads.length);
    const page = await log.readStored(logHeadStream, next, count);
    for (const event of page) if (!isOfNewerVersion(event)) heads.push(...toHead(event));
    if (page.length < count || heads.length === most) return heads;
    next = (page.at(-1)?.revision ?? next) + 1n;
  }
};

/** The same without their positions. @throws EventStoreUnavailable */
export const headsFrom = async (
  log: Pick<LogReader, 'readStored'>,
  from: bigint,
  most?: number,
): Promise<readonly LoggedHead[]> => (await placedHeadsFrom(log, from, most)).map(({ head }) => head);

export type EndOfHeads = {
  /** The newest head over this log; null for none. */
  readonly head: LoggedHead | null;
  /** Of the newest event in the stream of heads, even where that is no head, or that of a log that this one was copied from. */
  readonly revision: ExpectedRevision;
};

/** @throws EventStoreUnavailable */
export const endOfHeads = async (log: Pick<EventStore, 'readBack'>): Promise<EndOfHeads> => {
  const { events, revision } = await log.readBack(logHeadStream, 'end', 1);
  const [newest] = events;
  if (!newest) return { head: null, revision };
  const copy = await newestCopy(log);
  const isOfThisLog = copy === null || comparePositions(newest.position, copy.position) > 0;
  const [found] = isOfThisLog ? toHead({ ...newest.event, ...newest }) : [];
  return { head: found?.head ?? null, revision };
};

/** Null for none over this log. @throws EventStoreUnavailable */
export const newestHead = async (log: Pick<EventStore, 'readBack'>): Promise<LoggedHead | null> =>
  (await endOfHeads(log)).head;

export type LogHead = EventOf<'LogHeadSigned'>['data'];

/** A head as `grantbook audit head -o` writes it. */
export const headFileText = (head: LoggedHead): string => {
  const { revision: _, ...shown } = head;
  return `${JSON.stringify(shown, null, 2)}\n`;
};
