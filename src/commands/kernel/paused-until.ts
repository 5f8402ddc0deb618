import type { Instant } from '../../domain/kernel/decision.ts';
import type { StreamName } from '../../domain/streams.ts';
import type { EventStore, RecordedEvent } from '../../eventstore/event-store.ts';

export type EventLimit = {
  /** In milliseconds. */
  readonly period: number;
  /** Events of the stream within the period. */
  readonly most: number;
  /** Those of one actor, who uses up what is theirs before what is everybody's. */
  readonly of?: { readonly actor: string; readonly most: number };
};

/** When a stream takes another event under the limit, by the log; null: now. */
export const pausedUntil = async (
  store: Reader,
  stream: StreamName,
  now: Instant,
  { period, most, of }: EventLimit,
): Promise<Instant | null> => {
  const { revision } = await store.readBack(stream, 'end', 1);
  const length = revision === 'no-stream' ? 0 : Number(revision) + 1;
  const endOf = ({ event }: RecordedEvent): Instant => ('at' in event.data ? event.data.at + period : 0);
  const [rough] = length < most ? [] : (await store.readBack(stream, BigInt(length - most), 1)).events;
  const untils = [
    ...(rough && endOf(rough) > now ? await oldestAmong(store, stream, most) : []),
    ...(of === undefined || length < of.most ? [] : await oldestOf(store, stream, most, of)),
  ].map(endOf);
  const until = Math.max(0, ...untils);
  return until > now ? until : null;
};

type Reader = Pick<EventStore, 'readBack' | 'readEnd'>;

/** The event with which the stream began to have as many: the length also counts those of a newer version that are skipped here. */
const oldestAmong = async (
  store: Reader,
  stream: StreamName,
  most: number,
): Promise<readonly RecordedEvent[]> => {
  const newest = await store.readEnd(stream, 'last', most);
  return newest.slice(0, newest.length < most ? 0 : 1);
};

/** The event with which the actor began to have as many as are theirs, among the last of the stream. */
const oldestOf = async (
  store: Reader,
  stream: StreamName,
  among: number,
  { actor, most }: NonNullable<EventLimit['of']>,
): Promise<readonly RecordedEvent[]> => {
  const newest = await store.readEnd(stream, 'last', among);
  const own = newest.filter(({ metadata }) => metadata.actor === actor);
  return own.slice(-most).slice(0, own.length < most ? 0 : 1);
};
