import { expect, onTestFinished, test } from 'vitest';
import { runBeside } from '../../cli/live-service.ts';
import type { Ran } from '../../cli/run-grantbook.ts';
import { settingsFor } from '../../operations/running.ts';
import { newName, withAdmin } from '../../support/kafka-broker/test-client.ts';
import { brokers, describeWithBroker } from '../../support/kafka-broker/with-broker.ts';
import { startIngestScene, untilRead } from './ingest/scene.ts';

type Item = Readonly<Record<string, unknown>>;
const itemsOf = ({ json }: Ran) => json['items'] as readonly Item[];

const openScene = async () => {
  const scene = await startIngestScene({ partitions: 3 });
  onTestFinished(() => scene.close());
  const { stores, topics, group } = scene.meeting;
  const env = {
    ...settingsFor(stores),
    KAFKA_BROKERS: brokers().join(','),
    KAFKA_GROUP: group,
    KAFKA_TOPIC_PROFILES: topics.in.profiles,
    KAFKA_TOPIC_RESERVATIONS: topics.in.reservations,
    KAFKA_TOPIC_ACCESS_RIGHTS: topics.in.accessRights,
    KAFKA_TOPIC_DEAD_LETTER: topics.deadLetter,
  };
  const run = (...args: readonly string[]) => runBeside(env, ['kafka', 'dead-letters', ...args, '--json']);
  return { scene, env, run, topics };
};

describeWithBroker('AP-14: grantbook kafka dead-letters', () => {
  test('lists, shows and resends what a real broker keeps, in all partitions', async () => {
    const { scene, run, topics } = await openScene();
    const member = await scene.member();
    const { value: good } = scene.profile('p1', 2);
    const conflicting = JSON.stringify({ ...(JSON.parse(String(good)) as object), name: 'Other' });
    const to = (key: string, value: string) => ({
      topic: topics.in.profiles,
      key,
      value,
      headers: { mine: 'x' },
    });
    await scene.send([scene.profile('p1', 2)]);
    await untilRead(scene);
    await scene.send(Array.from({ length: 250 }, (_, at) => to(`k${at}`, 'not JSON')));
    await scene.send([to('p1', conflicting)]);
    await untilRead(scene);

    const names: string[] = [];
    for (let after: readonly string[] | null = []; after !== null;) {
      const page = await run('list', '--limit', '100', ...after);
      expect([page.exitCode, page.stderr]).toEqual([0, '']);
      names.push(...itemsOf(page).map(({ dead_letter: name }) => String(name)));
      const next = page.json['next'] as string | null;
      after = next === null ? null : ['--after', next];
    }
    expect([names.length, new Set(names).size]).toEqual([251, 251]);
    expect(new Set(names.map((name) => name.split('/')[1]))).toEqual(new Set(['0', '1', '2']));

    const [conflict, ...more] = itemsOf(await run('list', '--reason', 'version-conflict'));
    expect([more, conflict]).toMatchObject([
      [],
      { field: 'version', from: { topic: topics.in.profiles }, state: 'waiting' },
    ]);
    const name = String(conflict?.['dead_letter']);
    expect((await run('show', name)).json).not.toHaveProperty('value');
    expect((await run('show', name, '--content', '--reason', 'a test')).json).toMatchObject({
      key: { text: 'p1' },
      value: { text: conflicting },
    });

    const last = names.at(-1) ?? '';
    const resent = await run('resend', name, last, '--reason', 'a test');
    expect([resent.exitCode, itemsOf(resent).map(({ state, changed }) => [state, changed])]).toEqual([
      0,
      [
        ['resent', true],
        ['resent', true],
      ],
    ]);
    await untilRead(scene);
    expect(member.counted()).toMatchObject({ 'dead-lettered': 253 });
    const [again] = itemsOf(await run('list', '--reason', 'version-conflict', '--state', 'waiting'));
    expect((await run('show', String(again?.['dead_letter']))).json).toMatchObject({ resent_from: name });
    expect(itemsOf(await run('resend', name))).toMatchObject([{ state: 'resent', changed: false }]);
    const listed = itemsOf(await run('list', '--state', 'resent')).map((one) => one['dead_letter']);
    expect([listed.length, new Set(listed)]).toEqual([2, new Set([name, last])]);
  });

  test('says what is gone or was never there', async () => {
    const { scene, run, topics } = await openScene();
    const letter = { topic: topics.deadLetter, key: 'k', value: '{}', headers: {} };
    await scene.send([letter, letter, letter]);
    const [newest] = itemsOf(await run('list'));
    const partition = Number(newest?.['partition']);
    await withAdmin(async (admin) => {
      await admin.fetchTopicOffsets(topics.deadLetter); // loads the metadata
      await admin.deleteTopicRecords({
        topic: topics.deadLetter,
        partitions: [{ partition, offset: '2' }],
      });
    });
    const at = (offset: number) => `${topics.deadLetter}/${partition}/${offset}`;
    const refusals = await Promise.all(
      [at(1), at(3), `${topics.deadLetter}/99/0`, `${topics.in.profiles}/0/0`].map((name) =>
        run('show', name),
      ),
    );
    expect(refusals.map(({ json }) => (json['error'] as Item)['code'])).toEqual([
      'gone',
      'unknown-letter',
      'unknown-letter',
      'not-dead-letters',
    ]);
    expect(itemsOf(await run('list')).map(({ dead_letter: name }) => name)).toEqual([at(2)]);
    expect(itemsOf(await run('list'))).toMatchObject([{ reason: null, from: null }]);
  });

  test('names KAFKA_BROKERS when they are away, and the topic when there is none', async () => {
    const { env } = await openScene();
    const list = (more: Readonly<Record<string, string>>) =>
      runBeside({ ...env, ...more }, ['kafka', 'dead-letters', 'list', '--json']);
    const away = await list({ KAFKA_BROKERS: '127.0.0.1:9' });
    expect([away.exitCode, away.json]).toMatchObject([
      1,
      { error: { code: 'not-reached', setting: 'KAFKA_BROKERS' } },
    ]);
    const other = await list({ KAFKA_TOPIC_DEAD_LETTER: newName('none') });
    expect([other.exitCode, other.json]).toMatchObject([1, { error: { code: 'no-topic' } }]);
  });
});
