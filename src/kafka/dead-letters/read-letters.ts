import { Interrupted } from '../../audit/interrupted.ts';
import type { PartitionBounds, ReceivedMessage, TopicReader } from '../kafka-client.ts';
import { type Letter, type Place, toLetter } from './letter.ts';

type Query = {
  readonly matches: (letter: Letter) => boolean;
  readonly limit: number;
  /** The `next` of the page before; null for the first page. */
  readonly after: LettersCursor | null;
  readonly signal: AbortSignal;
};

/** For each partition, by number, the offset below which the page begins. */
export type LettersCursor = readonly bigint[];

export type LettersPage = { readonly letters: readonly Letter[]; readonly next: LettersCursor | null };

/** How many offsets of a partition are read at once. */
const span = 200n;

/**
 * Dead letters from the newest to the oldest by the time at which they were written; within a partition by offset. Letters that are
 * written during a walk along `next` are not in it. Null when there is no such topic. @throws KafkaUnavailable
 */
export const readLetters = async (
  reader: TopicReader,
  topic: string,
  { matches, limit, after, signal }: Query,
): Promise<LettersPage | null> => {
  const bounds = await reader.bounds(topic);
  if (bounds === null) return null;
  const lanes = bounds.map((one) => makeLane(reader, topic, matches, one, after));
  const letters: Letter[] = [];
  for (;;) {
    for (const lane of lanes) await lane.fill(signal);
    const [newest] = lanes
      .filter((lane) => lane.head() !== null)
      .toSorted((a, b) => (b.head()?.writtenAt ?? 0) - (a.head()?.writtenAt ?? 0));
    if (newest === undefined) return { letters, next: null };
    if (letters.length === limit) return { letters, next: cursorOf(lanes) };
    letters.push(...newest.take());
  }
};

type Lane = ReturnType<typeof makeLane>;

/** One partition, read backwards. */
const makeLane = (
  reader: TopicReader,
  topic: string,
  matches: Query['matches'],
  { partition, first, end }: PartitionBounds,
  after: LettersCursor | null,
) => {
  // A partition that the cursor has not was added since: its letters are newer.
  const below = after === null ? end : (after[partition] ?? first);
  let unread = below < end ? below : end;
  let found: Letter[] = [];
  return {
    partition,
    async fill(signal: AbortSignal): Promise<void> {
      while (found.length === 0 && unread > first) {
        if (signal.aborted) throw new Interrupted();
        const from = unread - span > first ? unread - span : first;
        for await (const message of reader.read({ topic, partition, from, until: unread })) {
          const letter = toLetter(topic, partition, message);
          if (matches(letter)) found.push(letter);
        }
        found.reverse();
        unread = from;
      }
    },
    head: (): Letter | null => found[0] ?? null,
    take: (): readonly Letter[] => found.splice(0, 1),
    below: (): bigint => (found[0] === undefined ? unread : found[0].offset + 1n),
  };
};

const cursorOf = (lanes: readonly Lane[]): LettersCursor => {
  const below: bigint[] = [];
  for (const lane of lanes) below[lane.partition] = lane.below();
  return Array.from(below, (offset) => offset ?? 0n);
};

export const cursorText = (cursor: LettersCursor): string => cursor.join('.');

export const parseCursor = (text: string): LettersCursor | null =>
  /^\d{1,19}(\.\d{1,19})*$/.test(text) ? text.split('.').map(BigInt) : null;

export type LetterFound =
  | { readonly state: 'found'; readonly letter: Letter; readonly message: ReceivedMessage }
  | { readonly state: 'no-topic' }
  | { readonly state: 'no-partition'; readonly partitions: number }
  /** `first`: the offset of the oldest one that is still kept. */
  | { readonly state: 'gone'; readonly first: bigint }
  | { readonly state: 'not-there'; readonly end: bigint };

/** Reads one dead letter with its content. @throws KafkaUnavailable */
export const findLetter = async (
  reader: TopicReader,
  { topic, partition, offset }: Place,
): Promise<LetterFound> => {
  const bounds = await reader.bounds(topic);
  if (bounds === null) return { state: 'no-topic' };
  const found = bounds.find((one) => one.partition === partition);
  if (found === undefined) return { state: 'no-partition', partitions: bounds.length };
  const { first, end } = found;
  if (offset < first) return { state: 'gone', first };
  if (offset < end)
    for await (const message of reader.read({ topic, partition, from: offset, until: offset + 1n }))
      return { state: 'found', letter: toLetter(topic, partition, message), message };
  return { state: 'not-there', end };
};
