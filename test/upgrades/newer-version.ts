import { EventStoreDBClient, jsonEvent, START, type Position } from '@eventstore/db-client';
import type pg from 'pg';
import { eventTypesByCheckpoint } from '../../src/compose/event-types-by-checkpoint.ts';
import { eventsByCategory, type EventType, personalFieldsOf } from '../../src/domain/events.ts';
import { categoryOf } from '../../src/domain/kernel/stream-name.ts';
import { startPassingOver } from '../../src/projections/follow/checkpoint-event-types.ts';
import { fixtures } from '../eventstore/codec/fixtures.ts';

export const categories = Object.keys(eventsByCategory) as (keyof typeof eventsByCategory)[];

export type Written = { readonly stream: string; readonly ours: boolean; readonly position: bigint };

const isKnownStream = (stream: string): boolean => Object.hasOwn(eventsByCategory, categoryOf(stream));
const note = () => jsonEvent({ type: 'NoteWritten', data: {}, metadata: { version: 1, maySkip: true } });

/** An event of a type that this version knows, as version 99 would write it. It encrypts what is personal. */
const ofVersion99 = (type: string) => {
  const { data = {} } = fixtures.find((fixture) => fixture.type === type) ?? {};
  const open = Object.entries(data).filter(([name]) => !personalFieldsOf(type)?.includes(name));
  return jsonEvent({
    type,
    data: { ...Object.fromEntries(open), more: { of: 'version 99' } },
    metadata: { version: 99, maySkip: true },
  });
};

/** An invented next version, which writes what an older one may skip to the same log. */
export const startNewerVersion = (
  eventStoreUrl: string,
  /** Streams that this version will begin, by those of its events. */
  foreseenFrom: (streams: readonly string[]) => readonly string[],
) => {
  const client = EventStoreDBClient.connectionString(eventStoreUrl);
  const written: Written[] = [];
  let from: Position | typeof START = START;
  let round = 0;
  const left = new Set<string>();
  const readOn = async (): Promise<void> => {
    for await (const { event } of client.readAll({ fromPosition: from })) {
      if (!event || event.type.startsWith('$') || !isKnownStream(event.streamId)) continue;
      const position = event.position ?? { commit: 0n, prepare: 0n };
      if (position.commit <= (written.at(-1)?.position ?? -1n)) continue;
      const { version } = event.metadata as { readonly version: number };
      const ours = event.type !== 'NoteWritten' && version === 1;
      written.push({ stream: event.streamId, ours, position: position.commit });
      from = position;
    }
  };
  const append = (stream: string, count = 1) => {
    const types = Object.keys(eventsByCategory[categoryOf(stream) as keyof typeof eventsByCategory]);
    const of99 = ofVersion99(types[round % types.length] ?? '');
    return client.appendToStream(stream, [of99, ...Array.from({ length: count }, note)]);
  };
  return {
    /** Writes an event of version 99 and notes to one stream. */
    append,
    writeOfVersion99: (stream: string, type: EventType) => client.appendToStream(stream, ofVersion99(type)),
    /** From now on nothing is written there. */
    leaveAlone: (stream: string) => void left.add(stream),
    /** Writes to every stream of the log, and begins those that have not begun. */
    async writeEverywhere(): Promise<void> {
      await readOn();
      round += 1;
      const ours = [...new Set(written.filter((one) => one.ours).map(({ stream }) => stream))];
      const endsWithOurs = new Map(written.map((one) => [one.stream, one.ours]));
      const streams = [
        ...ours.filter((stream, index) => endsWithOurs.get(stream) || index % 8 === round % 8),
        ...foreseenFrom(ours).filter((stream) => !endsWithOurs.has(stream)),
      ];
      await Promise.all(streams.filter((stream) => !left.has(stream)).map((stream) => append(stream)));
    },
    /** What is in the log, in its order. */
    async log(): Promise<readonly Written[]> {
      await readOn();
      return written;
    },
    stop: () => client.dispose(),
  };
};

export type NewerVersion = ReturnType<typeof startNewerVersion>;

/** As after a rollback: leaders have found that nobody else reads these events, and pass over them at once. */
export const passOverNewer = async (pool: pg.Pool): Promise<void> => {
  for (const [checkpoint, types] of Object.entries(eventTypesByCheckpoint(false)))
    for (const type of types) await startPassingOver(pool, checkpoint, type);
};
