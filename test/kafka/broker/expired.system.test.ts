import { expect, onTestFinished, test, vi } from 'vitest';
import type { ExpiredGap, ReceivedMessage } from '../../../src/kafka/kafka-client.ts';
import { runGrantbook } from '../../cli/run-grantbook.ts';
import { newName, newTopic, testClient, withAdmin } from '../../support/kafka-broker/test-client.ts';
import { brokers, describeWithBroker } from '../../support/kafka-broker/with-broker.ts';
import { startIngestScene, times, untilRead, waiting } from './ingest/scene.ts';

const never = new AbortController().signal;
const resolved = Promise.resolve();

/** As a retention does. */
const expire = (topic: string, partition: number, until: bigint) =>
  withAdmin(async (admin) => {
    await admin.fetchTopicOffsets(topic); // the library has to know the leaders
    await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(until) }] });
  });

const messages = (topic: string, count: number) =>
  times(count).map((i) => ({ topic, key: `${i}`, value: `${i}`, headers: {} }));

type Seen = readonly (ReceivedMessage & { readonly partition: number })[];

const readWith = (
  group: string,
  topic: string,
  expired: (gap: ExpiredGap) => Promise<void>,
  before: (partition: number) => Promise<void> = () => resolved,
) => {
  const seen: Seen[number][] = [];
  const consumption = testClient().consume({
    group,
    topics: [topic],
    batchSize: 100,
    expired,
    handle: async ({ partition, messages: batch }) => {
      await before(partition);
      seen.push(...batch.map((message) => ({ ...message, partition })));
    },
  });
  onTestFinished(() => consumption.stop());
  return { seen, stop: () => consumption.stop() };
};

const offsetsIn = (seen: Seen, of: number) =>
  seen.filter(({ partition }) => partition === of).map(({ offset }) => offset);

describeWithBroker('messages that expired unread', () => {
  test('FX-72: are reported before a group reads on after them, again after a rejection, and only of their partition', async () => {
    const [topic, group] = [await newTopic({ partitions: 6 }), newName('group')];
    await testClient().publish(messages(topic, 120), never);
    const none = vi.fn<(gap: ExpiredGap) => Promise<void>>(() => resolved);
    const first = readWith(group, topic, none);
    await vi.waitFor(() => expect(first.seen).toHaveLength(120), waiting);
    await first.stop();
    await testClient().publish(messages(topic, 120), never);
    const from = (offsetsIn(first.seen, 3).at(-1) ?? 0n) + 1n;
    const until = from + 5n;
    await expire(topic, 3, until);

    const seenBefore: (readonly bigint[])[] = [];
    const expired = vi
      .fn<(gap: ExpiredGap) => Promise<void>>(() =>
        Promise.resolve(void seenBefore.push(offsetsIn(second.seen, 3))),
      )
      .mockRejectedValueOnce(new Error('the log is away'));
    const second = readWith(group, topic, expired);
    await vi.waitFor(() => expect(second.seen.length).toBeGreaterThanOrEqual(115), waiting);
    const gap = { topic, partition: 3, from, until };
    expect(expired.mock.calls.slice(0, 2)).toEqual([[gap], [gap]]);
    expect(seenBefore[0]).toEqual([]);
    expect(offsetsIn(second.seen, 3)[0]).toBe(until);
    expect(none).not.toHaveBeenCalled();
  });

  test('FX-72: are reported by a member that could not go on while they expired', async () => {
    const [topic, group] = [await newTopic(), newName('group')];
    await testClient().publish(messages(topic, 20), never);
    const expired = vi.fn<(gap: ExpiredGap) => Promise<void>>(() => resolved);
    let tries = 0;
    let isAway = true;
    const { seen } = readWith(group, topic, expired, () => {
      tries += 1;
      return isAway ? Promise.reject(new Error('the log is away')) : resolved;
    });
    await vi.waitFor(() => expect(tries).toBeGreaterThan(0), waiting);
    await expire(topic, 0, 7n);
    isAway = false;
    await vi.waitFor(() => expect(seen).toHaveLength(13), waiting);
    expect(expired).toHaveBeenCalledWith({ topic, partition: 0, from: 0n, until: 7n });
  });

  test('FX-72: are reported to a group that has committed nothing, as far as is known', async () => {
    const [topic, group] = [await newTopic(), newName('group')];
    await testClient().publish(messages(topic, 10), never);
    await expire(topic, 0, 4n);
    const expired = vi.fn<(gap: ExpiredGap) => Promise<void>>(() => resolved);
    const { seen } = readWith(group, topic, expired);
    await vi.waitFor(() => expect(seen).toHaveLength(6), waiting);
    expect(expired.mock.calls).toEqual([[{ topic, partition: 0, from: null, until: 4n }]]);
  });

  test('FX-72: of one of six partitions stay known on every instance, also after a restart, until an operator confirms', async () => {
    const scene = await startIngestScene({ partitions: 6 });
    onTestFinished(() => scene.close());
    const { meeting, core } = scene;
    const topic = meeting.topics.in.profiles;
    await scene.send(times(60).map((i) => scene.profile(`p${i}`)));
    const first = await scene.member();
    await untilRead(scene);
    expect(first.status().expired).toEqual([]);
    await first.leave();
    await scene.send(times(60).map((i) => scene.profile(`p${i}`, 2)));
    const offsets = await withAdmin((admin) =>
      admin.fetchOffsets({ groupId: meeting.group, topics: [topic] }),
    );
    const read = BigInt(offsets[0]?.partitions.find(({ partition }) => partition === 4)?.offset ?? 0);
    await expire(topic, 4, read + 3n);
    const status = () =>
      runGrantbook(['kafka', 'status', '--json'], {
        env: {
          KAFKA_BROKERS: brokers().join(','),
          KAFKA_GROUP: meeting.group,
          KAFKA_TOPIC_PROFILES: topic,
          KAFKA_TOPIC_RESERVATIONS: meeting.topics.in.reservations,
          KAFKA_TOPIC_ACCESS_RIGHTS: meeting.topics.in.accessRights,
          KAFKA_TOPIC_DEAD_LETTER: meeting.topics.deadLetter,
        },
        openServers: () =>
          Promise.resolve({
            databaseUrl: meeting.stores.databaseUrl,
            eventStoreUrl: meeting.stores.eventStoreUrl,
            baseUrl: null,
            close: () => resolved,
          }),
      });
    expect((await status()).json).toMatchObject({
      attention: expect.arrayContaining([
        {
          about: 'ingest',
          found: expect.stringContaining(`${topic}/4: 3 messages expired unread`) as unknown,
        },
      ]) as unknown,
    });

    const second = await scene.member();
    await untilRead(scene);
    const found = {
      records: 'profiles',
      topic,
      partition: 4,
      from: read,
      until: read + 3n,
      at: expect.any(Number) as number,
    };
    expect(second.status().expired).toEqual([found]);
    await second.leave();
    const [third, fourth] = [await scene.member(), await scene.member()];
    for (const member of [third, fourth])
      await vi.waitFor(() => expect(member.status().expired).toEqual([found]), waiting);
    expect((await status()).json).toMatchObject({
      attention: expect.arrayContaining([
        {
          about: 'ingest',
          found: expect.stringMatching(
            /^3 messages of profiles expired unread since 20.*confirm RECORDS$/,
          ) as unknown,
        },
      ]) as unknown,
      ingest: { expired: [{ records: 'profiles', topic, partition: 4, missing: 3 }] },
    });

    await core.commands.confirmExpired('profiles');
    for (const member of [third, fourth])
      await vi.waitFor(() => expect(member.status().expired).toEqual([]), waiting);
    expect(JSON.stringify((await status()).json)).not.toContain('expired unread');
  });
});
