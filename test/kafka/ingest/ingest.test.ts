import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import { mostTries } from '../../../src/kafka/ingest/ingest.ts';
import type { RecordCommands } from '../../../src/kafka/ingest/resources.ts';
import { KafkaUnavailable } from '../../../src/kafka/kafka-client.ts';
import { counted, createOrganization, ingestScene, inTopics, topics } from './scene.ts';
import { eventually } from '../../support/eventually.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

type Scene = Awaited<ReturnType<typeof ingestScene>>;

const untilRead = ({ kafka }: Scene, group = 'grantbook') =>
  eventually(() => expect(kafka.lag(group, inTopics)).toBe(0n));

/** Ingests what has been sent. */
const ingestAll = async (scene: Scene) => {
  const ingest = scene.start();
  await untilRead(scene);
  await ingest.stop();
  return ingest;
};

const times = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('records by Kafka (LI-08)', () => {
  test('are recorded, changed and removed, of all three kinds', async () => {
    const scene = await ingestScene();
    const { organizationId: organization_id, kafka } = scene;
    const access = {
      organization_id,
      id: 'a1',
      version: 1,
      profile_id: 'p1',
      opens: 'North door',
      valid_from: '2026-05-01T00:00:00Z',
      status: 'active',
    };
    const reservation = {
      organization_id,
      id: 'r1',
      version: 1,
      profile_id: 'p1',
      resource: 'Room 4',
      starts_at: '2026-05-01T09:00:00+02:00',
      ends_at: '2026-05-01T10:00:00Z',
      status: 'confirmed',
    };
    const ingest = scene.start();
    scene.send(topics.in.profiles, scene.profile('p1'), scene.profile('p1', 2, { name: 'Grace' }));
    scene.send(topics.in.reservations, JSON.stringify(reservation));
    kafka.write({
      topic: topics.in.reservations,
      key: `${organization_id}.r1`,
      value: null,
      headers: { version: '2' },
    });
    scene.send(
      topics.in.accessRights,
      JSON.stringify(access),
      JSON.stringify({ organization_id, id: 'a1', version: 2, deleted: true }),
    );
    await untilRead(scene);
    await ingest.stop();
    expect(counted(ingest)).toEqual({
      'host.profiles added': 1,
      'host.profiles changed': 1,
      'host.reservations added': 1,
      'host.reservations removed': 1,
      'host.access-rights added': 1,
      'host.access-rights removed': 1,
    });
    expect(
      scene
        .recorded()
        .map(({ event }) => event.type)
        .toSorted((a, b) => (a < b ? -1 : 1)),
    ).toEqual([
      'AccessRightRecorded',
      'AccessRightRemoved',
      'ProfileRecorded',
      'ProfileRecorded',
      'ReservationRecorded',
      'ReservationRemoved',
    ]);
  });

  test('change nothing when the topic is read again from its beginning, or an older version comes late', async () => {
    const scene = await ingestScene();
    scene.send(topics.in.profiles, scene.profile('p1'), scene.profile('p1', 3), scene.profile('p2'));
    const first = scene.start();
    await untilRead(scene);
    scene.send(topics.in.profiles, scene.profile('p1', 2, { name: 'late' }));
    await untilRead(scene);
    await first.stop();
    const events = scene.recorded().length;
    const again = scene.start('another group');
    await untilRead(scene, 'another group');
    await again.stop();
    expect(scene.recorded()).toHaveLength(events);
    expect(counted(first)).toEqual({
      'host.profiles added': 2,
      'host.profiles changed': 1,
      'host.profiles outdated': 1,
    });
    expect(counted(again)).toEqual({ 'host.profiles outdated': 2, 'host.profiles unchanged': 2 });
  });

  test('of one record are taken in their order, and others in parallel with them', async () => {
    let [inAppend, most] = [0, 0];
    const scene = await ingestScene({
      hooks: {
        beforeAppend: async (_stream, events) => {
          most = Math.max(most, (inAppend += 1));
          // Older ones take longer: begun together, they would come too late.
          const [version] = events.flatMap(({ event }) =>
            'version' in event.data ? [event.data.version] : [],
          );
          for (const _ of times(version === undefined ? 0 : Math.max(1, 10 - version)))
            await new Promise((resolve) => setImmediate(resolve));
          inAppend -= 1;
        },
      },
    });
    scene.send(
      topics.in.profiles,
      ...times(100).flatMap((i) => [scene.profile('one', i + 1), scene.profile(`p${i}`)]),
    );
    await ingestAll(scene);
    const versions = scene
      .recorded()
      .flatMap(({ event }) =>
        'version' in event.data && 'id' in event.data && event.data.id === 'one' ? [event.data.version] : [],
      );
    expect(versions).toEqual(times(100).map((i) => i + 1));
    expect(most).toBeGreaterThan(50);
  });
});

describe('the trace of a message', () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';

  const metadataAfter = async (headers: Readonly<Record<string, string>>) => {
    const scene = await ingestScene();
    scene.kafka.write({ topic: topics.in.profiles, key: null, value: scene.profile('p1'), headers });
    await ingestAll(scene);
    return scene.recorded()[0]?.metadata;
  };

  test.each(['traceparent', 'ce_traceparent'])('goes on in its event: header %s', async (name) => {
    const metadata = await metadataAfter({ [name]: `00-${trace}-00f067aa0ba902b7-01` });
    expect(metadata?.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    expect(metadata?.traceparent).not.toContain('00f067aa0ba902b7');
    expect(metadata).not.toHaveProperty('actor');
  });

  test('begins with it where the header says nothing', async () => {
    const metadata = await metadataAfter({ traceparent: 'nothing of the kind' });
    expect(metadata?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });
});

describe('a message that cannot be used', () => {
  test('goes to the dead letters as it came, with the reason and its place, and the rest goes on', async () => {
    const scene = await ingestScene();
    const headers = {
      traceparent: 'x',
      twice: [Buffer.from('1'), Buffer.from('2')],
      'grantbook-reason': 'a lie',
      'grantbook-left-out': 'another',
    };
    scene.send(topics.in.profiles, scene.profile('p1'));
    scene.kafka.write({ topic: topics.in.profiles, key: 'my key', value: '{"name": 1', headers });
    scene.send(
      topics.in.profiles,
      scene.profile('p2', 0),
      scene.profile('p3', 1, { organization_id: '01J9Z3N8Q4T6V8X0Y2A4C6E8G0' }),
      scene.profile('p4', 1, { organization_id: 'not_one_of_ours' }),
      scene.profile('p1', 1, { name: 'another' }),
      scene.profile('p5'),
    );
    const ingest = await ingestAll(scene);
    expect(scene.deadLetters().map(({ offset, reason, problems }) => [offset, reason, problems])).toEqual([
      [1, 'unreadable', [{ field: null, message: 'the value is not JSON' }]],
      [2, 'invalid', [{ field: 'version', message: 'must be a whole number from 1 to 9007199254740991' }]],
      [3, 'unknown-organization', []],
      [4, 'unknown-organization', []],
      [
        5,
        'version-conflict',
        [{ field: 'version', message: expect.stringContaining('must be higher') as string }],
      ],
    ]);
    const [first] = scene.kafka.messages(topics.deadLetter);
    expect([first?.key?.toString(), first?.value?.toString()]).toEqual(['my key', '{"name": 1']);
    expect(first?.headers.map(([name, value]) => [name, value.toString()])).toEqual([
      ['traceparent', 'x'],
      ['twice', '1'],
      ['twice', '2'],
      ['grantbook-reason', 'unreadable'],
      ['grantbook-problems', '[{"field":null,"message":"the value is not JSON"}]'],
      ['grantbook-topic', 'host.profiles'],
      ['grantbook-partition', '0'],
      ['grantbook-offset', '1'],
      ['grantbook-time', '2026-01-01T00:00:00.000Z'],
    ]);
    expect(counted(ingest)).toEqual({ 'host.profiles added': 2, 'host.profiles dead-lettered': 5 });
    expect(JSON.stringify(scene.logger.lines)).not.toContain('ada@example.com');
  });

  test('may be sent again once its organization is there', async () => {
    const scene = await ingestScene();
    const organizationId = scene.newId();
    const early = scene.profile('p1', 1, { organization_id: organizationId });
    scene.send(topics.in.profiles, early);
    const ingest = scene.start();
    await untilRead(scene);
    scene.send(topics.in.profiles, early);
    await untilRead(scene);
    const unknown = { reason: 'unknown-organization', value: early };
    expect(scene.deadLetters()).toMatchObject([unknown, unknown]);
    await createOrganization(scene.store, organizationId);
    const [{ value, headers } = { value: null, headers: [] }] = scene.kafka.messages(topics.deadLetter);
    scene.kafka.write({ topic: topics.in.profiles, key: null, value, headers: Object.fromEntries(headers) });
    await untilRead(scene);
    await ingest.stop();
    expect(counted(ingest)).toEqual({ 'host.profiles added': 1, 'host.profiles dead-lettered': 2 });
  });

  test('goes without its value, or with nothing of its own, where the broker does not take the whole', async () => {
    const scene = await ingestScene({ kafka: { mostBytes: 2_000 } });
    const value = 'x'.repeat(1_900);
    scene.kafka.write({ topic: topics.in.profiles, key: 'k', value, headers: { mine: 'yes' } });
    scene.kafka.write({
      topic: topics.in.profiles,
      key: 'k'.repeat(1_000),
      value: 'y',
      headers: { mine: 'z'.repeat(900) },
    });
    scene.send(topics.in.profiles, 'not JSON');
    await ingestAll(scene);
    const letters = scene.kafka.messages(topics.deadLetter).map(({ key, value: kept, headers }) => ({
      key: key?.toString() ?? null,
      value: kept?.toString() ?? null,
      ...Object.fromEntries(headers.map(([name, content]) => [name, content.toString()])),
    }));
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(letters).toMatchObject([
      {
        key: 'k',
        value: null,
        mine: 'yes',
        'grantbook-left-out': 'value',
        'grantbook-value-bytes': '1900',
        'grantbook-value-sha256': digest(value),
      },
      {
        key: null,
        value: null,
        'grantbook-offset': '1',
        'grantbook-left-out': 'value, key and headers',
        'grantbook-value-sha256': digest('y'),
      },
      { value: 'not JSON', 'grantbook-offset': '2' },
    ]);
    expect(letters[1]).not.toHaveProperty('mine');
    expect(letters[2]).not.toHaveProperty('grantbook-left-out');
  });

  test('goes without its value at once where a broker would hang up on it instead of refusing it', async () => {
    const scene = await ingestScene({
      kafka: {
        beforePublish: (messages) => {
          if (messages.some(({ value }) => (value?.length ?? 0) > 2 ** 24))
            throw new KafkaUnavailable('hung up');
        },
      },
    });
    scene.send(topics.in.profiles, Buffer.alloc(2 ** 24 + 1, 'x'), scene.profile('p1'));
    const ingest = await ingestAll(scene);
    expect(scene.deadLetters()).toMatchObject([{ reason: 'unreadable', value: null }]);
    expect(ingest.status().retries).toBe(0);
  });

  test('is not passed over before the broker has acknowledged its dead letter', async () => {
    let refusals = 3;
    const scene = await ingestScene({
      kafka: {
        beforePublish: () => {
          if (refusals-- > 0) throw new KafkaUnavailable('away');
          expect(scene.kafka.lag('grantbook', inTopics)).toBe(2n);
        },
      },
    });
    scene.send(topics.in.profiles, 'not JSON', scene.profile('p1'));
    const ingest = await ingestAll(scene);
    expect(scene.deadLetters()).toHaveLength(1);
    expect(ingest.status().retries).toBe(3);
    expect(counted(ingest)).toMatchObject({ 'host.profiles added': 1, 'host.profiles dead-lettered': 1 });
  });
});

describe('what may work later', () => {
  expectTrouble(/kafka: recording a message failed; retrying/);
  test.each([new EventStoreUnavailable('away'), new AppendOutcomeUnknown('who knows')])(
    'is tried until it works, and nothing becomes a dead letter: $name',
    async (error) => {
      let failures = 200;
      const scene = await ingestScene({
        hooks: {
          beforeAppend: (stream) => {
            if (stream.startsWith('profile-') && failures-- > 0) throw error;
          },
        },
      });
      scene.send(topics.in.profiles, ...times(30).map((i) => scene.profile(`p${i}`)), 'not JSON');
      const ingest = await ingestAll(scene);
      expect(scene.recorded()).toHaveLength(30);
      expect(scene.deadLetters()).toMatchObject([{ reason: 'unreadable' }]);
      expect(ingest.status().retries).toBeGreaterThan(0);
    },
  );

  const failing =
    (fails: (id: string) => boolean) =>
    (commands: RecordCommands): RecordCommands => ({
      ...commands,
      recordProfile: (request, context) => {
        if (fails(request.id)) throw new TypeError(`cannot read ${request.record?.email}`);
        return commands.recordProfile(request, context);
      },
    });

  test('a message that fails by itself again and again becomes a dead letter with an alarm, and the rest goes on', async () => {
    expectTrouble(/failed repeatedly; sending it to the dead letters/);
    const scene = await ingestScene({ around: failing((id) => id === 'poison') });
    scene.send(topics.in.profiles, scene.profile('p1'), scene.profile('poison'), scene.profile('p2'));
    const ingest = await ingestAll(scene);
    expect(scene.deadLetters()).toMatchObject([
      { reason: 'failed', offset: 1, value: scene.profile('poison') },
    ]);
    expect(scene.recorded()).toHaveLength(2);
    expect(ingest.status().retries).toBe(mostTries - 1);
    const alarms = scene.logger.lines.filter(({ level }) => level === 'error');
    expect(alarms).toHaveLength(mostTries);
    expect(alarms.at(-1)?.message).toContain('sending it to the dead letters');
    expect(alarms.at(-1)?.context).toMatchObject({ offset: '1', failure: 'TypeError' });
    expect(JSON.stringify(alarms)).not.toContain('ada@example.com');
  });

  test('a message that fails stays while the log is away: that says nothing about the message', async () => {
    let away = 20;
    let tries = 0;
    const scene = await ingestScene({
      around: failing((id) => id === 'poison' && (tries += 1) <= 22),
      head: () => (away-- > 0 ? Promise.reject(new EventStoreUnavailable('away')) : Promise.resolve(null)),
    });
    scene.send(topics.in.profiles, scene.profile('poison'));
    const ingest = await ingestAll(scene);
    expect(scene.deadLetters()).toEqual([]);
    expect(counted(ingest)).toEqual({ 'host.profiles added': 1 });
  });

  test('when everything fails it is no single message: the topic is not emptied into the dead letters', async () => {
    let broken = true;
    const scene = await ingestScene({ around: failing(() => broken) });
    const messages = [...times(20).map((i) => scene.profile(`p${i}`)), 'not JSON'];
    scene.send(topics.in.profiles, ...messages);
    const ingest = scene.start();
    await eventually(() => expect(ingest.status().retries).toBeGreaterThan(10));
    expect(scene.kafka.lag('grantbook', inTopics)).toBe(21n);
    broken = false;
    await untilRead(scene);
    await ingest.stop();
    expect(scene.deadLetters()).toMatchObject([{ reason: 'unreadable', offset: 20 }]);
    expect(scene.recorded()).toHaveLength(20);
    // Of each try the log has a few, and how many there were.
    const alarms = scene.logger.lines.filter(({ level }) => level === 'error');
    expect(alarms.length).toBeLessThanOrEqual(5 * ingest.status().retries);
    expect(alarms[0]?.context).toMatchObject({ failures: 20 });
  });
});
