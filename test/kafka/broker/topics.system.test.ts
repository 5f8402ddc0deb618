import { expect, onTestFinished, test } from 'vitest';
import { startEnsuringTopics } from '../../../src/kafka/ensure-topics.ts';
import { makeKafkaTopics } from '../../../src/kafka/kafkajs/topics.ts';
import { defaultTopicNames, type TopicNames } from '../../../src/kafka/topics.ts';
import { connectionTo, makeTopics, newName } from '../../support/kafka-broker/test-client.ts';
import { describeWithBroker } from '../../support/kafka-broker/with-broker.ts';
import { watchedLogger } from '../../support/trouble/watched-lines.ts';

const DAY = 86_400_000;

const ownNames = (): TopicNames => {
  const name = (usual: string) => newName(usual);
  const { out, in: into, deadLetter } = defaultTopicNames;
  return {
    out: { activations: name(out.activations), grants: name(out.grants), addons: name(out.addons) },
    in: {
      profiles: name(into.profiles),
      reservations: name(into.reservations),
      accessRights: name(into.accessRights),
    },
    deadLetter: name(deadLetter),
  };
};

const topicsFor = (names: TopicNames, newTopics: Partial<{ create: boolean; partitions: number }> = {}) =>
  makeKafkaTopics({
    connection: connectionTo(),
    config: {
      topics: names,
      newTopics: { create: true, partitions: 3, replicationFactor: null, ...newTopics },
    },
    grantSeconds: 10 * 86_400,
  });

const make = (topic: string, partitions: number, config: Record<string, string>) =>
  makeTopics([topic], { partitions, config });

describeWithBroker('the topics', () => {
  test('are made with their partitions and retention, once, and are then as wanted', async () => {
    const names = ownNames();
    const topics = topicsFor(names);
    const before = await topics.inspect();
    expect(new Set(before.map(({ state }) => state))).toEqual(new Set(['missing']));
    expect(before[1]?.problems[0]).toContain(
      `kafka-topics.sh --create --topic ${names.out.grants} --partitions 3 --replication-factor 1`,
    );
    const made = await topics.ensure();
    expect(made.map(({ name, state, retentionMs }) => [name, state, retentionMs])).toEqual([
      [names.out.activations, 'made', null],
      [names.out.grants, 'made', 45 * DAY],
      [names.out.addons, 'made', null],
      [names.in.profiles, 'made', null],
      [names.in.reservations, 'made', null],
      [names.in.accessRights, 'made', null],
      [names.deadLetter, 'made', 30 * DAY],
    ]);
    const again = await topics.ensure();
    expect(again).toEqual(made.map((report) => ({ ...report, state: 'there' })));
    expect(again.flatMap(({ problems, notes }) => [...problems, ...notes])).toEqual([]);
  });

  test('that are there already are never changed, and each difference is named with what to do', async () => {
    const names = ownNames();
    await make(names.out.activations, 5, { 'retention.ms': String(7 * DAY), 'cleanup.policy': 'compact' });
    await make(names.in.profiles, 3, { 'cleanup.policy': 'compact', 'retention.ms': '-1' });
    await make(names.deadLetter, 3, { 'retention.ms': '-1', 'retention.bytes': '1000000' });
    const reports = await topicsFor(names, { create: false }).ensure();
    const of = (name: string) => reports.find((report) => report.name === name);
    expect(of(names.out.activations)).toMatchObject({
      state: 'there',
      partitions: 5,
      retentionMs: 7 * DAY,
      problems: [
        `messages are kept 7 days, not permanently: kafka-configs.sh --alter --topic ${names.out.activations} --add-config retention.ms=-1`,
        expect.stringContaining('it is compacted, so messages of a key get lost'),
      ],
      notes: ['5 partitions, not 3; leave it: adding some breaks the order of each key'],
    });
    expect(of(names.in.profiles)).toMatchObject({
      problems: [],
      notes: [expect.stringContaining('a removal is lost if')],
    });
    expect(of(names.deadLetter)).toMatchObject({
      problems: [expect.stringContaining('--add-config retention.bytes=-1')],
      notes: ['messages are kept permanently; 30 days are enough'],
    });
    expect(of(names.out.grants)?.state).toBe('missing');
  });

  test('are made in parallel with the start of the service, and what is wrong is said once', async () => {
    const names = ownNames();
    await make(names.out.activations, 3, { 'retention.ms': '1000' });
    const lines: string[] = [];
    const logger = watchedLogger((line) => void lines.push(line), 'info');
    const ensuring = startEnsuringTopics({ topics: topicsFor(names), logger });
    onTestFinished(() => ensuring.stop());
    await ensuring.ready;
    expect(lines.filter((line) => line.includes('kafka: made a topic'))).toHaveLength(6);
    expect(lines.filter((line) => line.includes('messages are kept 0 days'))).toHaveLength(1);
    expect((await topicsFor(names).inspect()).map(({ state }) => state)).toEqual(Array(7).fill('there'));
  });
});
