import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DomainEvent, eventTypes, type EventType, personalFieldsOf } from '../../src/domain/events.ts';
import { accountPerson } from '../../src/domain/personal-data.ts';
import { accountStream, profileStream, type StreamName } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import {
  PersonalDataUnavailable,
  StreamUnreadable,
  type LogMessage,
  type RecordedEvent,
} from '../../src/eventstore/event-store.ts';
import { openSource } from '../../src/eventstore/client/subscription-source.ts';
import { followLog, regexOf } from '../../src/eventstore/client/subscription.ts';
import { makeTakeEvents } from '../../src/eventstore/client/take-events.ts';
import { fixtures } from '../eventstore/codec/fixtures.ts';
import { eventually } from '../support/eventually.ts';
import { callOfClient } from '../support/documents/call-of-client.ts';
import { migratedDatabase, type TestDatabase } from '../support/servers/databases.ts';
import { startTestNode, type TestNode } from '../support/servers/node.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testPersonal } from '../support/memory/test-personal.ts';

const fixtureOf = (type: string): DomainEvent => {
  const fixture = fixtures.find((one) => one.type === type);
  return { type, data: fixture?.data } as unknown as DomainEvent;
};

const streams: { readonly [T in EventType]?: StreamName } = {
  AccountCreated: 'account-01K9RZ3Q5V0000000000000001',
  AccountRenamed: 'account-01K9RZ3Q5V0000000000000011',
  PreferencesChosen: 'account-01K9RZ3Q5V0000000000000016',
  AccountEmailChanged: 'account-01K9RZ3Q5V0000000000000012',
  IdentityLinked: 'account-01K9RZ3Q5V0000000000000013',
  PasswordSet: 'account-01K9RZ3Q5V0000000000000002',
  PasskeyAdded: 'account-01K9RZ3Q5V0000000000000014',
  PasskeyRenamed: 'account-01K9RZ3Q5V0000000000000015',
  SessionStarted: 'session-01K9RZ3Q5V0000000000000005',
  AdministratorTokenIssued: 'administratorTokens-01K9RZ3Q5V0000000000000001',
  ProfileRecorded: 'profile-01K9RZ3Q5V0000000000000003.R_1042',
  ReservationRecorded: 'reservation-01K9RZ3Q5V0000000000000003.R_1042',
};

const personalTypes = Object.keys(streams) as EventType[];

const created = (userId: string, email = 'ada@example.org'): DomainEvent => ({
  type: 'AccountCreated',
  data: { emailVouchedBy: 'operator', userId, email, name: 'Ada Lovelace', roles: [], at: 1 },
});
const passwordSet: DomainEvent = {
  type: 'PasswordSet',
  data: { passwordHash: '$argon2id$hash', at: 2, ended: null },
};
const profile = (id: string, version = 1): DomainEvent => ({
  type: 'ProfileRecorded',
  data: {
    organizationId: 'O1',
    id,
    version,
    at: 1,
    name: 'Ada',
    email: 'ada@example.org',
    userId: null,
    phone: null,
    locale: null,
    externalId: null,
  },
});

describe('events with somebody in them', () => {
  let node: TestNode;
  let database: TestDatabase;
  let personal: ReturnType<typeof testPersonal>;
  let store: ReturnType<typeof connectEventStore>;
  let plain: ReturnType<typeof connectEventStore>;
  beforeAll(async () => {
    node = await startTestNode();
    database = await migratedDatabase();
    personal = testPersonal(database.url);
    store = connectEventStore({ url: node.url, personal: personal.data, logger: quietLogger() });
    plain = connectEventStore({ url: node.url, logger: quietLogger() });
  });
  afterAll(async () => {
    await Promise.all([store.close(), plain.close()]);
    await node.close();
    await personal.close();
    await database.drop();
  });

  const rawOf = async (stream: string) =>
    JSON.stringify((await store.readStored(stream, 0n, 10)).map(({ data, metadata }) => [data, metadata]));
  const follow = async (eventTypes: readonly DomainEvent['type'][], log = store) => {
    const leaving = new AbortController();
    const events: RecordedEvent[] = [];
    for await (const message of log.subscribe({ after: null, eventTypes, signal: leaving.signal })) {
      if (message.kind === 'caught-up') break;
      if (message.kind === 'event') events.push(message.event);
    }
    leaving.abort();
    return events;
  };

  test('every type of event with something about a person is in the list', () => {
    expect(eventTypes.filter((type) => personalFieldsOf(type) !== null).toSorted()).toEqual(
      personalTypes.toSorted(),
    );
  });

  test.each(personalTypes)(
    '%s is stored without what is about the person, and read as it was',
    async (type) => {
      const [stream = 'logHead-log' as const, event] = [streams[type], fixtureOf(type)];
      expect((await store.append(stream, 'no-stream', [{ event }])).ok).toBe(true);
      expect((await store.read(stream)).events.map((recorded) => recorded.event)).toEqual([event]);
      expect((await follow([type])).map((recorded) => recorded.event)).toContainEqual(event);
      const [stored] = await store.readStored(stream, 0n, 1);
      const fields = personalFieldsOf(type) ?? [];
      const inClear = Object.keys(event.data).filter((field) => !fields.includes(field));
      expect(Object.keys(stored?.data as object)).toEqual([...inClear, 'personal']);
      const raw = await rawOf(stream);
      const values = fields.map((field) => (event.data as Readonly<Record<string, unknown>>)[field]);
      const words = values.filter((value) => typeof value === 'string' && value.length > 4);
      expect(words.length).toBeGreaterThan(0);
      expect(words.filter((word) => raw.includes(String(word)))).toEqual([]);
    },
  );

  test('without the keys a sealed event is not taken for something else', async () => {
    await store.append(accountStream('KEYED'), 'no-stream', [{ event: created('KEYED') }]);
    await expect(plain.read(accountStream('KEYED'))).rejects.toThrow(StreamUnreadable);
  });

  test('once the key is destroyed the fields read `erased`, those stored afterwards as well', async () => {
    const stream = accountStream('GONE');
    await store.append(stream, 'no-stream', [{ event: created('GONE') }, { event: passwordSet }]);
    await personal.keys.destroy(accountPerson('GONE'));
    await store.append(stream, 1n, [{ event: passwordSet }]);
    expect((await store.read(stream)).events.map(({ event }) => event)).toEqual([
      {
        type: 'AccountCreated',
        data: {
          emailVouchedBy: 'operator',
          userId: 'GONE',
          email: 'erased',
          name: 'erased',
          roles: [],
          at: 1,
        },
      },
      { type: 'PasswordSet', data: { passwordHash: 'erased', at: 2, ended: null } },
      { type: 'PasswordSet', data: { passwordHash: 'erased', at: 2, ended: null } },
    ]);
    expect(await rawOf(stream)).toMatch(/"sealed":null/);
  });

  test('what was sealed for one stream does not open in another', async () => {
    await store.append(accountStream('FROM'), 'no-stream', [{ event: created('FROM') }]);
    const [stored] = await store.readStored(accountStream('FROM'), 0n, 1);
    const there = { stream: accountStream('FROM'), type: 'AccountCreated', data: stored?.data };
    const [opened, moved] = await personal.data.decrypt([there, { ...there, stream: accountStream('TO') }]);
    expect(opened).toMatchObject({ personal: 'opened', fields: { email: 'ada@example.org' } });
    expect(moved).toEqual({ personal: 'damaged', data: stored?.data, fields: {} });
  });

  test('what is sealed in another form is damaged, and nothing else', async () => {
    const about = { stream: accountStream('FORM'), type: 'AccountCreated' };
    const forms = [null, 'x', {}, { key: 7, sealed: 'x' }, { key: 'k', sealed: 7 }, { key: 'k' }];
    const opened = await personal.data.decrypt(forms.map((form) => ({ ...about, data: { personal: form } })));
    expect(opened.map(({ personal: state }) => state)).toEqual(forms.map(() => 'damaged'));
  });

  test('two instances that meet a person at the same time agree on one key', async () => {
    const other = testPersonal(database.url);
    const people = Array.from({ length: 300 }, (_, index) => accountPerson(`BOTH${index}`));
    const [ours, theirs] = await Promise.all([
      Promise.all(people.map((person) => personal.keys.of(person))),
      Promise.all([...people].reverse().map((person) => other.keys.of(person))),
    ]);
    expect([...theirs].reverse()).toEqual(ours);
    expect(new Set(ours.map(({ keyId }) => keyId)).size).toBe(people.length);
    await other.close();
  });

  const recordMany = async (prefix: string) => {
    const names = Array.from({ length: 50 }, (_, index) => `${prefix}${index}`);
    const record = async (name: string) => {
      const streamId = profileStream('O1', name);
      await store.append(streamId, 'no-stream', [{ event: profile(name) }]);
      const [stored] = await store.readStored(streamId, 0n, 1);
      if (!stored) throw new Error(`${streamId} is not in the log`);
      return { ...stored, streamId, created: new Date(stored.created) }; // as the client has it
    };
    return Promise.all(names.map(record));
  };

  test('what arrives together costs one question', async () => {
    const stored = await recordMany('together');
    const other = testPersonal(database.url);
    const logger = quietLogger();
    const isSkipped = () => Promise.resolve(false);
    const take = makeTakeEvents({ personal: other.data, isSkipped, logger });
    const call = callOfClient();
    const leaving = new AbortController();
    const delivered = followLog(
      {
        open: ({ after, types }) =>
          openSource(call.esdb, { after, regex: regexOf(types), confirmMs: 10_000 }),
        take,
        logger,
      },
      { after: null, eventTypes: ['ProfileRecorded'], signal: leaving.signal },
    );
    const first = delivered.next();
    await eventually(() => expect(call.stream.listenerCount('data')).toBeGreaterThan(0));
    for (const [index, event] of stored.entries()) call.event(BigInt(index + 1), event); // in one turn of the event loop
    const seen = ((await first).value as readonly LogMessage[]).map(
      (message) => message.kind === 'event' && message.event.event,
    );
    expect(seen).toEqual(stored.map((_, index) => profile(`together${index}`)));
    expect(other.statements).toHaveLength(1);
    leaving.abort();
    await delivered.return(undefined);
    await other.close();
  });

  test('a subscription asks at most once for each batch that it delivers', async () => {
    const stored = await recordMany('batch');
    const other = testPersonal(database.url);
    const reader = connectEventStore({ url: node.url, personal: other.data, logger: quietLogger() });
    const leaving = new AbortController();
    const options = { after: null, eventTypes: ['ProfileRecorded'] as const, signal: leaving.signal };
    const counts = { batches: 0, events: 0 };
    for await (const batch of reader.subscribeBatches(options)) {
      counts.batches += 1;
      counts.events += batch.filter(({ kind }) => kind === 'event').length;
      if (batch.some(({ kind }) => kind === 'caught-up')) break;
    }
    leaving.abort();
    expect(counts.events).toBeGreaterThanOrEqual(stored.length);
    expect(other.statements.length).toBeGreaterThan(0);
    expect(other.statements.length).toBeLessThanOrEqual(counts.batches);
    await reader.close();
    await other.close();
  });

  test('while the database is away nothing personal is stored, and everything else is', async () => {
    const away = testPersonal(database.url.replace(/\/test_\w+/, '/test_that_is_not_there'));
    const writer = connectEventStore({ url: node.url, personal: away.data, logger: quietLogger() });
    const append = writer.append(accountStream('AWAY'), 'no-stream', [{ event: created('AWAY') }]);
    await expect(append).rejects.toThrow(PersonalDataUnavailable);
    expect((await store.read(accountStream('AWAY'))).revision).toBe('no-stream');
    const ended: DomainEvent = { type: 'SessionEnded', data: { at: 1 } };
    expect((await writer.append('session-1', 'no-stream', [{ event: ended }])).ok).toBe(true);
    expect((await writer.read('session-1')).events).toHaveLength(1);
    await writer.close();
    await away.close();
  });

  test('a subscription waits for the keys, and goes on without a gap', async () => {
    const other = testPersonal(database.url);
    const trouble = { left: 2 };
    const reader = connectEventStore({
      url: node.url,
      logger: quietLogger(),
      personal: {
        ...other.data,
        decrypt: (events) => {
          if (trouble.left-- > 0) return Promise.reject(new PersonalDataUnavailable('away'));
          return other.data.decrypt(events);
        },
      },
    });
    const [all, seen] = [await follow(['AccountCreated']), await follow(['AccountCreated'], reader)];
    expect(trouble.left).toBeLessThan(0);
    expect(seen).toEqual(all);
    await reader.close();
    await other.close();
  });
});
