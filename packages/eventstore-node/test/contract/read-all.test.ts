import { BACKWARDS, END, START } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { beforeAll, describe, expect, test } from 'vitest';
import { contract, embeddedOnly, newStream } from './contract.ts';
import { allRead, fromPosition, kinds, readToEnd, recordedOf, typeFilter } from './raw.ts';
import { collect, given, happened, headOfLog, readStream } from './steps.ts';
import { shared, streams } from '../../src/stubs.ts';

const server = contract();
const [first, second] = [newStream(), newStream()];
/** Only what this file wrote: on a shared server others write between. */
const own = new Set<string>([first, second]);
let positions: bigint[] = [];

beforeAll(async () => {
  await server.client.appendToStream(first, happened(2));
  await server.client.appendToStream(second, happened(2));
  const events = [...(await readStream(server.client, first)), ...(await readStream(server.client, second))];
  positions = events.map(({ event }) => event?.position?.commit ?? 0n);
});

const at = (index: number) => ({ commit: positions[index] ?? 0n, prepare: positions[index] ?? 0n });

const seen = async (options: Parameters<typeof server.client.readAll>[0]): Promise<(bigint | undefined)[]> =>
  (await collect(server.client.readAll(options))).flatMap(({ event }) =>
    event && own.has(event.streamId) ? [event.position.commit] : [],
  );

/** eventstoredb.md §3.3 and §3.4, the whole log. */
describe('the log', () => {
  test('has strictly increasing positions with gaps, equal in stream reads', () => {
    expect([...positions].sort((a, b) => Number(a - b))).toEqual(positions);
    expect(new Set(positions).size).toBe(4);
    expect((positions[1] ?? 0n) - (positions[0] ?? 0n)).toBeGreaterThan(1n);
  });

  test('read forwards includes the event at the position', async () => {
    expect(await seen({ fromPosition: at(1) })).toEqual(positions.slice(1));
  });

  test('read backwards excludes the event at the position', async () => {
    const backwards = await seen({ direction: BACKWARDS, fromPosition: at(3), maxCount: 1_000 });
    expect(backwards).toEqual(positions.slice(0, 3).reverse());
  });

  test('read forwards from the end and backwards from the start is empty', async () => {
    expect(await seen({ fromPosition: END })).toEqual([]);
    expect(await seen({ direction: BACKWARDS, fromPosition: START })).toEqual([]);
  });

  test('read forwards beyond the head is empty, backwards an error', async () => {
    const beyond = (await headOfLog(server.client)) + 1_000_000n;
    const { code, messages } = await readToEnd(server.raw, allRead().setAll(fromPosition(beyond)));
    expect({ code, messages }).toEqual({ code: status.OK, messages: [] });
    const backwards = allRead()
      .setAll(fromPosition(beyond))
      .setReadDirection(streams.ReadReq.Options.ReadDirection.BACKWARDS);
    expect((await readToEnd(server.raw, backwards)).code).toBe(status.UNKNOWN);
  });

  test('is never empty: a fresh server holds system events, which consumers filter out', async () => {
    const oldest = await collect(server.client.readAll({ fromPosition: START, maxCount: 1 }));
    expect(oldest[0]?.event?.type).toMatch(/^\$/);
  });

  test('keeps what streams no longer show: soft-deleted events, metadata, tombstones', async () => {
    const before = await headOfLog(server.client);
    const [soft, hard] = [newStream(), newStream()];
    await given(server.client, soft, 'soft-deleted');
    await given(server.client, hard, 'tombstoned');
    const after = { commit: before, prepare: before };
    const log = (await collect(server.client.readAll({ fromPosition: after }))).map(({ event }) => event);
    const kept = log.map((event) => `${event?.revision} ${event?.type} ${event?.streamId}`);
    expect(kept).toEqual(
      expect.arrayContaining([
        `0 Happened ${soft}`,
        `1 Happened ${soft}`,
        `0 $metadata $$${soft}`,
        `1 Happened ${hard}`,
        `9223372036854775807 $streamDeleted ${hard}`,
      ]),
    );
  });

  test('can be read through a filter, counting matches', async () => {
    const options = allRead('1')
      .setAll(fromPosition(positions[0] ?? 0n))
      .setFilter(typeFilter(['Happ'], 500));
    const { messages } = await readToEnd(server.raw, options);
    expect(kinds(messages)).toEqual(['event']);
    expect(recordedOf(messages[0])?.getCommitPosition()).toBe(String(positions[0]));
  });

  test.each([
    { what: 'commit below prepare', all: fromPosition(10n, 11n) },
    { what: 'a position above 2^63−1', all: fromPosition(1n << 63n) },
    { what: 'no position', all: new streams.ReadReq.Options.AllOptions() },
  ])('with $what is refused with UNKNOWN', async ({ all }) => {
    expect((await readToEnd(server.raw, allRead().setAll(all))).code).toBe(status.UNKNOWN);
  });

  test('with a filter of an invalid pattern is refused with UNKNOWN', async () => {
    const filter = typeFilter([], 10).setEventType(expression('('));
    expect((await readToEnd(server.raw, allRead().setFilter(filter))).code).toBe(status.UNKNOWN);
  });

  test('a filter with a multiplier of 0 is taken: only subscriptions have checkpoints', async () => {
    const filter = typeFilter([newStream('Type')], 500, 0);
    const after = allRead()
      .setAll(fromPosition(positions[3] ?? 0n))
      .setFilter(filter);
    expect((await readToEnd(server.raw, after)).code).toBe(status.OK);
  });
});

function expression(regex: string) {
  return new streams.ReadReq.Options.FilterOptions.Expression().setRegex(regex);
}

/** A real server goes round and round on these (§3.4). */
test('none of the events, or a window of none, is an invalid argument', embeddedOnly, async () => {
  expect((await readToEnd(server.raw, allRead('0'))).code).toBe(status.INVALID_ARGUMENT);
  const nothing = allRead().setFilter(typeFilter(['a'], 0));
  expect((await readToEnd(server.raw, nothing)).code).toBe(status.INVALID_ARGUMENT);
});

test('a stream cannot be filtered, a subscription not go backwards', async () => {
  const filtered = allRead().setFilter(typeFilter(['a'], 10));
  const both = filtered.setStream(
    new streams.ReadReq.Options.StreamOptions()
      .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(first)))
      .setStart(new shared.Empty()),
  );
  expect((await readToEnd(server.raw, both)).code).toBe(status.INVALID_ARGUMENT);
  const backwards = allRead()
    .setSubscription(new streams.ReadReq.Options.SubscriptionOptions())
    .setReadDirection(streams.ReadReq.Options.ReadDirection.BACKWARDS);
  expect((await readToEnd(server.raw, backwards)).code).toBe(status.INVALID_ARGUMENT);
});
