import pMap from 'p-map';
import type { LogReader, RecordedEvent, StoredEvent } from '../eventstore/event-store.ts';

/** Stored events in their newest version, with the fields that a key still decrypts. @throws what the codec throws */
export type Decode = (stored: StoredEvent) => Promise<RecordedEvent>;

export type EventDependencies = {
  readonly log: LogReader;
  readonly decode: Decode;
};

/** An event as it is stored, and its decoded form; null when this version cannot read it. */
export type ReadEvent = { readonly stored: StoredEvent; readonly recorded: RecordedEvent | null };

/** The events at these places, in their order; missing ones (an expired session's) are left out. */
export const readEvents = async (
  { log, decode }: EventDependencies,
  places: readonly Place[],
): Promise<readonly ReadEvent[]> =>
  Promise.all((await eventsAt(log, places)).map((event) => readEvent(decode, event)));

type Place = { readonly stream: string; readonly revision: bigint };

/** The same as they are stored. */
export const eventsAt = async (log: LogReader, places: readonly Place[]): Promise<readonly StoredEvent[]> => {
  const found = new Map<string, StoredEvent>();
  const read = async ({ stream, from, count }: Run) => {
    for (const event of await log.readStored(stream, from, count)) found.set(keyOf(event), event);
  };
  await pMap(runsIn(places), read, { concurrency: readsAtOnce });
  return places.flatMap((place) => found.get(keyOf(place)) ?? []);
};

export const readEvent = async (decode: Decode, stored: StoredEvent): Promise<ReadEvent> => ({
  stored,
  // The log may contain events of a newer version: what can be read is shown anyway.
  recorded: await decode(stored).catch((error: unknown) => {
    if (error instanceof Error && /^(?:Undecodable|Unknown|Refused)Event/.test(error.name)) return null;
    throw error;
  }),
});

/** Null for an event of a newer version without which a reader may continue. @throws what the codec throws for others */
export const decodeUnlessSkipped = (decode: Decode, stored: StoredEvent): Promise<RecordedEvent | null> =>
  decode(stored).catch((error: unknown) => {
    if (error instanceof Error && 'maySkip' in error && error.maySkip) return null;
    throw error;
  });

const readsAtOnce = 16;
/** Up to this many unneeded events are read to save a further request. */
const gap = 8n;
const mostInOneRead = 200n;

type Run = { readonly stream: string; readonly from: bigint; readonly count: number };

const runsIn = (places: readonly Place[]): readonly Run[] => {
  const byStream = new Map<string, bigint[]>();
  for (const { stream, revision } of places)
    byStream.set(stream, [...(byStream.get(stream) ?? []), revision]);
  return [...byStream].flatMap(([stream, revisions]) => {
    const runs: { from: bigint; to: bigint }[] = [];
    for (const revision of revisions.toSorted((a, b) => Number(a - b))) {
      const last = runs.at(-1);
      if (last && revision - last.to <= gap && revision - last.from < mostInOneRead) last.to = revision;
      else runs.push({ from: revision, to: revision });
    }
    return runs.map(({ from, to }) => ({ stream, from, count: Number(to - from) + 1 }));
  });
};

const keyOf = ({ stream, revision }: Place) => `${stream}@${revision}`;

export async function* streamThrough(
  { log, decode }: EventDependencies,
  stream: string,
  from = 0n,
): AsyncGenerator<ReadEvent> {
  let next = from;
  for (;;) {
    const read = await log.readStored(stream, next, Number(mostInOneRead));
    for (const stored of read) yield await readEvent(decode, stored);
    const last = read.at(-1);
    if (!last || read.length < Number(mostInOneRead)) return;
    next = last.revision + 1n;
  }
}
