import { describe, expect, test } from 'vitest';
import { idOf } from '../../../src/domain/kernel/stream-name.ts';
import { subjectsOf } from '../../../src/domain/events.ts';
import { type KafkaClient, KafkaUnavailable, MessageRefused } from '../../../src/kafka/kafka-client.ts';
import { createOrganization, ingestScene, inTopics, topics } from '../../kafka/ingest/scene.ts';
import { operator, operatorOf } from './letter-scene.ts';
import { eventually } from '../../support/eventually.ts';

type Item = Readonly<Record<string, unknown>>;
const itemsOf = (json: unknown) => (json as { readonly items: readonly Item[] }).items;
const name = (offset: number) => `${topics.deadLetter}/0/${offset}`;

/** Three dead letters: not JSON, of an organization that does not exist yet, and without a name. */
const setUp = async () => {
  const scene = await ingestScene();
  const later = scene.newId();
  const early = scene.profile('p1', 1, { organization_id: later });
  scene.kafka.write({
    topic: topics.in.profiles,
    key: 'ada@example.com',
    value: '{"name": "Ada Lovelace"',
    headers: { mine: 'Ada\u001b[31m' },
  });
  scene.send(topics.in.profiles, early);
  scene.send(topics.in.reservations, scene.profile('r1'));
  const ingest = scene.start();
  const untilRead = () => eventually(() => expect(scene.kafka.lag('grantbook', inTopics)).toBe(0n));
  await untilRead();
  const events = () => scene.store.all().filter(({ stream }) => stream.startsWith('deadLetters-'));
  return { scene, later, early, ingest, untilRead, events, ...operatorOf(scene) };
};

const personal = /Ada|ada@example/;

describe('AP-14: dead letters', () => {
  test('are listed with their reasons, without anything personal, a page at a time', async () => {
    const { list, ingest } = await setUp();
    const { exitCode, json, text } = await list();
    expect(exitCode).toBe(0);
    expect(itemsOf(json)).toHaveLength(3);
    expect(itemsOf(json)).toContainEqual({
      dead_letter: expect.stringMatching(/^host\.dead-letter\/0\/\d$/) as string,
      topic: 'host.dead-letter',
      partition: 0,
      offset: expect.stringMatching(/^\d$/) as string,
      reason: 'unknown-organization',
      field: null,
      from: { topic: 'host.profiles', partition: 0, offset: '1' },
      written_at: expect.any(String) as string,
      state: 'waiting',
      resent_at: null,
    });
    expect(`${JSON.stringify(json)}${text}`).not.toMatch(personal);
    const offsets: unknown[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const page = await list({ limit: 2, ...(after !== undefined && { after }) });
      const found = page.json as { readonly items: readonly Item[]; readonly next: string | null };
      offsets.push(...found.items.map(({ offset }) => offset));
      after = found.next;
    }
    expect(offsets).toEqual(['2', '1', '0']);
    await ingest.stop();
  });

  test('are found by reason, by the topic that they came from, and by whether they were resent', async () => {
    const { list, resend, ingest, scene, later } = await setUp();
    const reasons = async (options: Parameters<typeof list>[0]) =>
      itemsOf((await list(options)).json).map(({ reason }) => reason);
    expect(await reasons({ reason: 'unreadable' })).toEqual(['unreadable']);
    expect(await reasons({ topic: topics.in.reservations })).toEqual(['invalid']);
    const [early] = itemsOf((await list({ reason: 'unknown-organization' })).json);
    await createOrganization(scene.store, later);
    await resend(String(early?.['dead_letter']));
    expect(await reasons({ state: 'resent' })).toEqual(['unknown-organization']);
    expect(new Set(await reasons({ state: 'waiting' }))).toEqual(new Set(['invalid', 'unreadable']));
    const other = await list({ topic: 'host.invoices' });
    expect([other.exitCode, other.text]).toEqual([2, expect.stringContaining('host.profiles')]);
    await ingest.stop();
  });

  test('are shown with their problems; their content only when it is asked for, and that is recorded first', async () => {
    const { list, show, ingest, events } = await setUp();
    const [invalid] = itemsOf((await list({ reason: 'invalid' })).json);
    const shown = await show(String(invalid?.['dead_letter']));
    expect(shown.json).toMatchObject({
      field: 'profile_id',
      left_out: null,
      value_bytes: expect.any(Number) as number,
    });
    expect((shown.json as Item)['problems']).toContainEqual({ field: 'profile_id', message: 'is missing' });
    expect(shown.json).not.toHaveProperty('value');
    const [unreadable] = itemsOf((await list({ reason: 'unreadable' })).json);
    const letter = String(unreadable?.['dead_letter']);
    const without = await show(letter);
    expect(`${JSON.stringify(without.json)}${without.text}`).not.toMatch(personal);
    expect(events()).toEqual([]);
    const { json, text } = await show(letter, true);
    expect(json).toMatchObject({
      key: { text: 'ada@example.com' },
      value: { text: '{"name": "Ada Lovelace"' },
    });
    expect((json as Item)['headers']).toContainEqual({ name: 'mine', text: 'Ada\u001b[31m' });
    expect(text).toContain('Ada Lovelace');
    expect(text).not.toContain('\u001b');
    expect(events()).toMatchObject([
      {
        event: { type: 'DeadLetterShown', data: { partition: 0, by: operator, organizationId: null } },
        metadata: { actor: operator, reason: 'because of a test' },
      },
    ]);
    await ingest.stop();
  });

  test('are resent to where they came from, which a header says; they stay, and are listed as resent', async () => {
    const { scene, later, early, list, show, resend, ingest, untilRead, events } = await setUp();
    const [item] = itemsOf((await list({ reason: 'unknown-organization' })).json);
    const letter = String(item?.['dead_letter']);
    await createOrganization(scene.store, later);
    const resent = await resend(letter, letter);
    expect([resent.exitCode, itemsOf(resent.json)]).toMatchObject([
      0,
      [{ dead_letter: letter, reason: 'unknown-organization', state: 'resent', changed: true }],
    ]);
    await untilRead();
    await ingest.stop();
    const sent = scene.kafka.messages(topics.in.profiles).at(-1);
    expect([sent?.value?.toString(), sent?.headers.map(([of, value]) => [of, value.toString()])]).toEqual([
      early,
      [['grantbook-resent', letter]],
    ]);
    expect(scene.recorded().map(({ event }) => event.type)).toEqual(['ProfileRecorded']);
    expect(scene.kafka.messages(topics.deadLetter)).toHaveLength(3);
    expect((await show(letter)).json).toMatchObject({ state: 'resent', resent_by: operator });
    const [note, ...more] = events();
    expect(more).toEqual([]);
    expect(note).toMatchObject({
      stream: 'deadLetters-log',
      event: { type: 'DeadLetterResent', data: { to: 'host.profiles', organizationId: later } },
      metadata: { actor: operator, reason: 'because of a test' },
    });
    // AM-15: in the timelines of the organization and of who did it.
    expect(note && subjectsOf(note.event, { streamId: idOf(note.stream), owner: null })).toEqual([
      { kind: 'organization', id: later },
      { kind: 'user', id: operator },
    ]);
  });

  test('are published once: a second call says so and does nothing', async () => {
    const { scene, list, resend, ingest, events } = await setUp();
    await ingest.stop();
    const names = itemsOf((await list()).json).map(({ dead_letter: letter }) => String(letter));
    await resend(...names);
    const sent = () => inTopics.reduce((sum, topic) => sum + scene.kafka.messages(topic).length, 0);
    expect([sent(), events().length]).toEqual([6, 3]);
    const again = await resend(...names);
    expect([again.exitCode, itemsOf(again.json).map(({ changed }) => changed)]).toEqual([
      0,
      [false, false, false],
    ]);
    expect([sent(), events().length]).toEqual([6, 3]);
  });

  test('of a message that was refused again say which dead letter it was, and can be resent themselves', async () => {
    const { list, show, resend, ingest, untilRead } = await setUp();
    const [item] = itemsOf((await list({ reason: 'unreadable' })).json);
    const letter = String(item?.['dead_letter']);
    await resend(letter);
    await untilRead();
    await ingest.stop();
    expect((await show(name(3))).json).toMatchObject({
      reason: 'unreadable',
      state: 'waiting',
      resent_from: letter,
      from: { topic: 'host.profiles', offset: '2' },
    });
    expect(itemsOf((await resend(name(3))).json)).toMatchObject([{ changed: true }]);
  });

  test('that another topic of the same name has at that place were not resent', async () => {
    const { scene, list, resend, ingest } = await setUp();
    await ingest.stop();
    await resend(name(0));
    scene.kafka.messages(topics.deadLetter).forEach((message) => Object.assign(message, { timestamp: 1 }));
    expect(itemsOf((await list({ state: 'waiting' })).json)).toHaveLength(3);
    expect(itemsOf((await resend(name(0))).json)).toMatchObject([{ changed: true }]);
  });
});

describe('AP-14: what cannot be resent is refused with the reason, and the others are resent', () => {
  const codesOf = (json: unknown) =>
    itemsOf(json).map(
      (item) => (item['error'] as { readonly code: string } | undefined)?.code ?? item['state'],
    );

  test('what is not there', async () => {
    const { scene, show, resend, ingest } = await setUp();
    await ingest.stop();
    scene.kafka.keepFrom(topics.deadLetter, 1n);
    const { exitCode, json, text } = await resend(
      name(0),
      name(9),
      `${topics.deadLetter}/1/0`,
      'host.profiles/0/0',
      name(1),
    );
    expect([exitCode, codesOf(json)]).toEqual([
      1,
      ['gone', 'unknown-letter', 'unknown-letter', 'not-dead-letters', 'resent'],
    ]);
    expect(text).toContain('host.dead-letter/0/0: not resent: it is no longer kept');
    const gone = await show(name(0));
    expect([gone.exitCode, gone.json]).toMatchObject([1, { error: { code: 'gone' } }]);
  });

  test('a message that Grantbook did not write, or whose topic is not one of records', async () => {
    const scene = await ingestScene();
    const { list, resend } = operatorOf(scene);
    const none = await list();
    expect([none.exitCode, none.json]).toMatchObject([1, { error: { code: 'no-topic' } }]);
    const origin = (topic: string, more = {}) => ({
      'grantbook-topic': topic,
      'grantbook-partition': '0',
      'grantbook-offset': '7',
      ...more,
    });
    const write = (headers: Readonly<Record<string, string>>) =>
      scene.kafka.write({ topic: topics.deadLetter, key: 'k', value: null, headers });
    write({});
    write(origin(topics.out.grants, { 'grantbook-reason': 'invalid' }));
    // Without its value it would remove the record.
    write(origin(topics.in.profiles, { 'grantbook-left-out': 'value', version: '9' }));
    const { json, text } = await resend(name(0), name(1), name(2));
    expect(codesOf(json)).toEqual(['no-origin', 'unknown-topic', 'left-out']);
    expect(text).toContain('send the message again from host.profiles/0/7');
    expect(itemsOf((await list()).json).map(({ reason }) => reason)).toEqual([null, 'invalid', null]);
    expect([...inTopics, topics.out.grants].flatMap(scene.kafka.messages)).toEqual([]);
    expect(scene.store.all().filter(({ stream }) => stream.startsWith('deadLetters-'))).toEqual([]);
  });

  test('one that the broker refuses; when the broker goes away, what was resent before is listed as resent', async () => {
    const { scene, list, ingest } = await setUp();
    await ingest.stop();
    const failing = (error: Error): Pick<KafkaClient, 'publish'> => {
      let calls = 0;
      return {
        publish: (messages, signal) =>
          (calls += 1) === 2 ? Promise.reject(error) : scene.kafka.client.publish(messages, signal),
      };
    };
    const tooLarge = operatorOf(scene, failing(new MessageRefused('it is too large')));
    const { exitCode, json } = await tooLarge.resend(name(0), name(1));
    expect([exitCode, codesOf(json)]).toEqual([1, ['resent', 'refused-by-kafka']]);
    const away = operatorOf(scene, failing(new KafkaUnavailable('ECONNREFUSED')));
    await expect(away.resend(name(1), name(2))).rejects.toThrow('ECONNREFUSED');
    expect(itemsOf((await list({ state: 'waiting' })).json).map(({ offset }) => offset)).toEqual(['2']);
  });
});
