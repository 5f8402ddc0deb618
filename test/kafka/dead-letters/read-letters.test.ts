import { expect, test } from 'vitest';
import { Interrupted } from '../../../src/audit/interrupted.ts';
import { placeText } from '../../../src/kafka/dead-letters/letter.ts';
import { cursorText, parseCursor, readLetters } from '../../../src/kafka/dead-letters/read-letters.ts';
import type { ReceivedMessage, TopicReader } from '../../../src/kafka/kafka-client.ts';

/** Partitions by number; each message is its time, and one without a time does not exist. */
const reading = (...partitions: readonly (readonly (number | null)[])[]) => {
  const asked: bigint[] = [];
  const reader: TopicReader = {
    bounds: () =>
      Promise.resolve(
        partitions.map((messages, partition) => ({ partition, first: 0n, end: BigInt(messages.length) })),
      ),
    // oxlint-disable-next-line typescript/require-await -- the port is asynchronous
    async *read({ partition, from, until }) {
      asked.push(until - from);
      for (let offset = from; offset < until; offset += 1n) {
        const timestamp = partitions[partition]?.[Number(offset)];
        const message: Omit<ReceivedMessage, 'timestamp'> = { offset, key: null, value: null, headers: [] };
        if (timestamp !== null && timestamp !== undefined) yield { ...message, timestamp };
      }
    },
    close: () => undefined,
  };
  return { reader, asked };
};

const signal = new AbortController().signal;
const all = () => true;

const walk = async (
  reader: TopicReader,
  limit: number,
  matches: Parameters<typeof readLetters>[2]['matches'],
) => {
  const names: string[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const cursor = after === undefined ? null : parseCursor(after);
    const page = await readLetters(reader, 't', { matches, limit, after: cursor, signal });
    names.push(...(page?.letters ?? []).map(placeText));
    after = page?.next ? cursorText(page.next) : null;
  }
  return names;
};

test.each([1, 2, 3, 100])(
  'AP-14: pages of %i are newest first over all partitions, each letter once',
  async (limit) => {
    const { reader } = reading([10, 30, null, 50], [], [20, 40]);
    expect(await walk(reader, limit, all)).toEqual(['t/0/3', 't/2/1', 't/0/1', 't/2/0', 't/0/0']);
    expect(await walk(reader, limit, ({ writtenAt }) => writtenAt < 30)).toEqual(['t/2/0', 't/0/0']);
  },
);

test('AP-14: one page reads no more than the end of each partition, and a new letter is not in a walk', async () => {
  const many = Array.from({ length: 5_000 }, (_, at) => at);
  const { reader, asked } = reading(many, [...many]);
  const first = await readLetters(reader, 't', { matches: all, limit: 10, after: null, signal });
  expect(asked).toEqual([200n, 200n]);
  const more = reading([...many, 9_999], many, [10_000]).reader;
  const second = await readLetters(more, 't', { matches: all, limit: 2, after: first?.next ?? null, signal });
  expect(second?.letters.map(({ writtenAt }) => writtenAt)).toEqual([4_994, 4_994]);
});

test('AP-14: a search for what is not there can be interrupted', async () => {
  const { reader } = reading(Array.from({ length: 5_000 }, (_, at) => at));
  const query = { matches: () => false, limit: 10, after: null, signal: AbortSignal.abort() };
  await expect(readLetters(reader, 't', query)).rejects.toThrow(Interrupted);
});
