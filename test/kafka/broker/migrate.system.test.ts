import { expect, onTestFinished, test } from 'vitest';
import { runGrantbook } from '../../cli/run-grantbook.ts';
import { freshDatabase } from '../../support/servers/databases.ts';
import { newName, withAdmin } from '../../support/kafka-broker/test-client.ts';
import { brokers, describeWithBroker } from '../../support/kafka-broker/with-broker.ts';
import { topicSettings } from '../../support/kafka-broker/topic-settings.ts';

const emptyDatabase = async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const servers = {
    databaseUrl: database.url,
    eventStoreUrl: '',
    baseUrl: null,
    close: () => Promise.resolve(),
  };
  return { openServers: () => Promise.resolve(servers) };
};

describeWithBroker('grantbook migrate with Kafka', () => {
  test('makes the tables, then the topics; a second run has nothing to do', async () => {
    const env = { KAFKA_BROKERS: brokers().join(','), KAFKA_PARTITIONS: '2', ...topicSettings(newName('m')) };
    const given = { env, ...(await emptyDatabase()) };
    const first = await runGrantbook(['migrate'], given);
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(first.stdout).toMatch(/^Applied \d+: 0001.*\nMade 7 topics: /s);
    const second = await runGrantbook(['migrate', '--json'], given);
    expect(second.exitCode).toBe(0);
    expect(second.json).toMatchObject({ applied: [] });
    expect(second.json['topics']).toContainEqual({
      name: env.KAFKA_TOPIC_GRANTS,
      state: 'there',
      partitions: 2,
      retention: (365 + 35) * 86_400,
      problems: [],
      notes: [],
    });
  });

  test('says what is missing, and how to make it, where topics are not to be made', async () => {
    const names = topicSettings(newName('m'));
    const env = { KAFKA_BROKERS: brokers().join(','), KAFKA_CREATE_TOPICS: 'off', ...names };
    const ran = await runGrantbook(['migrate'], { env, ...(await emptyDatabase()) });
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toContain(
      `kafka-topics.sh --create --topic ${names.KAFKA_TOPIC_PROFILES} --partitions 6`,
    );
    const made = await withAdmin((admin) => admin.listTopics());
    expect(made).not.toContain(names.KAFKA_TOPIC_PROFILES);
  });
});

test('grantbook migrate makes the tables also while Kafka is away, says so, and exits with 1', async () => {
  const env = { KAFKA_BROKERS: '127.0.0.1:9' };
  const ran = await runGrantbook(['migrate', '--json'], { env, ...(await emptyDatabase()) });
  expect(ran.exitCode).toBe(1);
  expect(ran.json).toMatchObject({
    applied: expect.arrayContaining(['0002-fence']) as unknown,
    error: {
      code: 'not-reached',
      setting: 'KAFKA_BROKERS',
      message: expect.stringMatching(
        /^The tables are migrated, but Kafka is not ready\. .*ECONNREFUSED/,
      ) as unknown,
    },
  });
});
