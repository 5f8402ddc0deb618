import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, expect, test } from 'vitest';
import { makePasswords } from '../../src/commands/people/credentials/passwords.ts';
import type { DomainEvent, EventType } from '../../src/domain/events.ts';
import { accountStream, addonStream, organizationStream, profileStream } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { makeCast, run, type Cast, type Running } from '../operations/running.ts';
import { migratedDatabase } from '../support/servers/databases.ts';
import { startTestNode } from '../support/servers/node.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testPersonal } from '../support/memory/test-personal.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

expectTrouble(/event store: event .* is refused/);

const logger = quietLogger();

/** Events that somebody else appends, who may write to the log and has no keys. */
const node = await startTestNode();
const database = await migratedDatabase();
const foreign = EventStoreDBClient.connectionString(node.url);
const personal = testPersonal(database.url);
const store = connectEventStore({ url: node.url, personal: personal.data, logger });
afterAll(async () => {
  await foreign.dispose();
  await store.close();
  await node.close();
  await personal.close();
  await database.drop();
});

const forge = async (stream: string, type: EventType, data: object): Promise<string> => {
  const id = randomUUID();
  await foreign.appendToStream(
    stream,
    jsonEvent({ id, type, data: data as never, metadata: { version: 1 } }),
  );
  return id;
};
const typesIn = async (stream: Parameters<typeof store.read>[0]) =>
  (await store.read(stream)).events.map(({ event }) => event.type);
/** What a subscription to these types delivers of one stream. */
const delivered = async (stream: string, eventTypes: readonly EventType[]) => {
  const leaving = new AbortController();
  const seen: bigint[] = [];
  for await (const message of store.subscribe({ after: null, eventTypes, signal: leaving.signal })) {
    if (message.kind === 'caught-up') break;
    if (message.kind !== 'checkpoint' && message.event.stream === stream) seen.push(message.event.revision);
  }
  leaving.abort();
  return seen;
};
const alarms = () => logger.lines.filter(({ context }) => (context as { alarm?: boolean }).alarm);

const created = (userId: string): DomainEvent => ({
  type: 'AccountCreated',
  data: { emailVouchedBy: 'operator', userId, email: 'ada@example.org', name: 'Ada', roles: [], at: 1 },
});
const password = (passwordHash: string) => ({ passwordHash, at: 2, ended: null });
const profile = (id: string, version: number) => {
  const rest = { userId: null, phone: null, locale: null, externalId: null, at: 1 };
  return { organizationId: 'O1', id, version, name: 'Ada', email: 'ada@example.org', ...rest };
};

test('CL-02: an event in clear behind sealed ones is refused for commands, subscriptions and single reads, with one alarm', async () => {
  const stream = accountStream('CLEAR1');
  await store.append(stream, 'no-stream', [{ event: created('CLEAR1') }]);
  await forge(stream, 'PasswordSet', password('$argon2id$theirs'));
  const ours = password('$argon2id$ours');
  await store.append(stream, 1n, [{ event: { type: 'PasswordSet', data: ours } }]);
  const { events, revision } = await store.read(stream);
  expect(events.map(({ event }) => event.data)).toEqual([created('CLEAR1').data, ours]);
  expect(revision).toBe(2n);
  expect(await delivered(stream, ['AccountCreated', 'PasswordSet'])).toEqual([0n, 2n]);
  expect(await store.readEach(stream, 1n, 1)).toEqual([]);
  await store.read(stream);
  const told = alarms().filter(({ message }) => message.includes(stream));
  expect(told).toHaveLength(1);
  expect(told[0]?.message).toMatch(/PasswordSet at account-CLEAR1@1 is refused: .*not encrypted/);
  expect(JSON.stringify(told)).not.toContain('argon2id');
});

test('CL-02: a field in clear next to a sealed member does not stand where the key is gone', async () => {
  const stream = accountStream('BESIDE1');
  await store.append(stream, 'no-stream', [{ event: created('BESIDE1') }]);
  const member = { key: 'no-such-key', sealed: null };
  await forge(stream, 'PasswordSet', { ...password('$argon2id$theirs'), personal: member });
  await expect(store.read(stream)).rejects.toThrow('cannot be decoded');
});

test('CL-02: an event in clear at the beginning of a stream is refused like any other', async () => {
  const stream = profileStream('O1', 'CLEAR2');
  await forge(stream, 'ProfileRecorded', profile('CLEAR2', 1));
  const ours = { type: 'ProfileRecorded', data: profile('CLEAR2', 2) } as DomainEvent;
  await store.append(stream, 0n, [{ event: ours }]);
  expect((await store.read(stream)).events.map(({ revision }) => revision)).toEqual([1n]);
  expect(await delivered(stream, ['ProfileRecorded'])).toEqual([1n]);
});

test("CL-02: an event that its stream's category does not hold, or that is another's, is not taken", async () => {
  const [addon, organization] = [addonStream('MISPLACED1'), organizationStream('MISPLACED1')];
  await forge(addon, 'AccountDisabled', { epoch: 1, at: 1 });
  await forge('elsewhere-MISPLACED1', 'AddonSuspended', { at: 1 });
  await forge(organization, 'OrganizationCreated', { organizationId: 'ANOTHER', name: 'Theirs', at: 1 });
  await forge(accountStream('MISPLACED1'), 'AccountCreated', (created('VICTIM') as { data: object }).data);
  expect(await typesIn(addon)).toEqual([]);
  expect(await typesIn(organization)).toEqual([]);
  expect(await typesIn(accountStream('MISPLACED1'))).toEqual([]);
  for (const stream of [addon, organization, 'elsewhere-MISPLACED1'])
    expect(await delivered(stream, ['AccountDisabled', 'OrganizationCreated', 'AddonSuspended'])).toEqual([]);
  // The next append is at the revision that the stream really has.
  const mine = {
    type: 'OrganizationCreated',
    data: { organizationId: 'MISPLACED1', name: 'Ours', at: 2 },
  } as const;
  expect(await store.append(organization, 0n, [{ event: mine }])).toMatchObject({ ok: true });
  expect(await typesIn(organization)).toEqual(['OrganizationCreated']);
});

test('CL-02: an appended password in clear does not sign in, and the account goes on with its own', async () => {
  const service: Running = await run({ databaseUrl: database.url, eventStoreUrl: node.url });
  try {
    const { userId }: Cast = await makeCast(service.core);
    const email = `ada-${randomUUID()}@example.com`;
    const made = await service.core.commands.createUser({
      email,
      password: 'correct horse battery staple',
      name: 'Ada',
      administratorOf: [],
      roles: [],
    });
    const stream = accountStream(made.ok ? made.value.userId : userId);
    const theirs = await (await makePasswords()).hash('the password of somebody else');
    await forge(stream, 'PasswordSet', password(theirs));
    const signIn = (text: string) => service.core.commands.signIn({ email, password: text, from: null });
    expect(await signIn('the password of somebody else')).toMatchObject({ ok: false });
    expect(await signIn('correct horse battery staple')).toMatchObject({ ok: true });
  } finally {
    await service.stop();
  }
});
