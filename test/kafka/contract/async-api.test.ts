import asyncApiSpecs from '@asyncapi/specs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, describe, expect, test } from 'vitest';
import { docs } from '../../../src/http/docs/plugin.ts';
import { asyncApiDocument } from '../../../src/kafka/contract/async-api/document.ts';
import { parseMessage } from '../../../src/kafka/ingest/parse-message.ts';
import { toDeadLetter } from '../../../src/kafka/ingest/dead-letter.ts';
import { defaultTopicNames } from '../../../src/kafka/topics.ts';
import {
  accessRightRecord,
  profileRecord,
  reservationRecord,
} from '../../support/documents/record-schemas.ts';
import { startPlugins } from '../../support/scenes/plugin-app.ts';
import { hostMessages } from './host-messages.ts';
import { messageFixtures } from './message-fixtures.ts';

type Message = {
  readonly headers: object;
  readonly payload: { readonly $ref: string };
  readonly bindings?: { readonly kafka: { readonly key: object } };
};
type Document = {
  readonly asyncapi: string;
  readonly channels: Readonly<
    Record<string, { readonly address: string; readonly messages: Readonly<Record<string, object>> }>
  >;
  readonly operations: Readonly<Record<string, { readonly action: string }>>;
  readonly components: {
    readonly messages: Readonly<Record<string, Message>>;
    readonly schemas: Readonly<Record<string, object>>;
  };
};

const origin = 'https://grantbook.example';
const http = await startPlugins([docs], { config: { baseUrl: origin, issuer: origin } });
const served = (await http.app.inject({ method: 'GET', url: '/asyncapi.json' })).json<Document>();
afterAll(() => http.close());

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);

const problemsOf = (schema: object, value: unknown): unknown => {
  ajv.validate(schema, value);
  return ajv.errors ?? [];
};

const messageCalled = (name: string): Message => {
  const message = served.components.messages[name];
  if (!message) throw new Error(`the document has no message ${name}`);
  return message;
};

const payloadOf = (name: string): object => {
  const schema = served.components.schemas[name];
  if (!schema) throw new Error(`the document has no schema ${name}`);
  expect(messageCalled(name).payload.$ref).toBe(`#/components/schemas/${name}`);
  return schema;
};

describe('/asyncapi.json', () => {
  test('is for tools of any site, and is not sent again when it has not changed', async () => {
    const first = await http.app.inject({ method: 'GET', url: '/asyncapi.json' });
    expect(first.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300',
    });
    const { etag = '' } = first.headers;
    const headers = { 'if-none-match': String(etag) };
    const again = await http.app.inject({ method: 'GET', url: '/asyncapi.json', headers });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect((await http.app.inject({ method: 'POST', url: '/asyncapi.json' })).statusCode).toBe(405);
  });

  test('is AsyncAPI 3.0, as the official schema says', () => {
    // It brings the schema of JSON Schema with it.
    const official = new Ajv({ strict: false, meta: false, validateSchema: false });
    addFormats.default(official);
    const validate = official.compile(asyncApiSpecs.schemas['3.0.0'] as object);
    expect(validate(served) || validate.errors).toBe(true);
    const [operation] = Object.values(served.operations);
    expect(validate({ ...served, operations: { wrong: { ...operation, action: 'shout' } } })).toBe(false);
    expect(validate({ ...served, shelf: 1 })).toBe(false);
  });

  test('every reference in it leads somewhere', () => {
    const refs = [...JSON.stringify(served).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
    const found = (path: string) =>
      path.split('/').reduce<unknown>((part, key) => (part as Record<string, unknown>)?.[key], served);
    expect(refs.length).toBeGreaterThan(80);
    expect(refs.filter((path) => found(path) === undefined)).toEqual([]);
  });

  test('names the topics, and who sends to them', () => {
    const addresses = Object.values(served.channels).map(({ address }) => address);
    expect(addresses).toEqual([
      'grantbook.activations',
      'grantbook.grants',
      'grantbook.addons',
      'host.profiles',
      'host.reservations',
      'host.access-rights',
      'host.dead-letter',
    ]);
    const actions = Object.entries(served.operations).map(([name, { action }]) => `${name}: ${action}`);
    expect(actions).toEqual([
      'send-activations: send',
      'send-grants: send',
      'send-addons: send',
      'receive-profiles: receive',
      'receive-reservations: receive',
      'receive-accessRights: receive',
      'send-deadLetters: send',
    ]);
  });
});

describe.each(messageFixtures)('$type', ({ type, message }) => {
  test('is as the served document says: data, headers and key, in its topic', () => {
    const { headers, bindings } = messageCalled(type);
    expect(problemsOf(payloadOf(type), JSON.parse(message.value))).toEqual([]);
    expect(problemsOf(headers, message.headers)).toEqual([]);
    expect(problemsOf(bindings?.kafka.key ?? {}, message.key)).toEqual([]);
    const channel = Object.values(served.channels).find(({ address }) => address === message.topic);
    expect(Object.keys(channel?.messages ?? {})).toContain(type);
    expect(message.headers['ce_dataschema']).toBe(
      `https://grantbook.example/asyncapi.json#/components/schemas/${type}`,
    );
  });

  test('may get fields that its readers are to ignore, and loses none', () => {
    const data = JSON.parse(message.value) as Record<string, unknown>;
    expect(problemsOf(payloadOf(type), { ...data, yet_unknown: 1 })).toEqual([]);
    for (const field of Object.keys(data)) {
      const { [field]: _lost, ...less } = data;
      expect(problemsOf(payloadOf(type), less), `without ${field}`).not.toEqual([]);
    }
  });
});

const readers = {
  profile: profileRecord,
  reservation: reservationRecord,
  'access-right': accessRightRecord,
} as const;

const parsed = (resource: keyof typeof readers, value: unknown) =>
  parseMessage<unknown>(readers[resource], {
    key: null,
    value: Buffer.from(JSON.stringify(value)),
    headers: [],
  }).ok;

describe.each(hostMessages)('a message of the host platform: $what', ({ resource, name, value, isGood }) => {
  test('is judged by the document as by the ingest', () => {
    expect(parsed(resource, value)).toBe(isGood);
    expect(ajv.validate(payloadOf(name), value)).toBe(isGood);
  });
});

test('a tombstone is as the document says', () => {
  const tombstone = messageCalled('profile-tombstone');
  expect(problemsOf(payloadOf('profile-tombstone'), null)).toEqual([]);
  const judged = (key: string, version: string) =>
    ajv.validate(tombstone.headers, { version }) && ajv.validate(tombstone.bindings?.kafka.key ?? {}, key);
  const read = (key: string, version: string) =>
    parseMessage<unknown>(profileRecord, {
      key: Buffer.from(key),
      value: null,
      headers: [['version', Buffer.from(version)]],
    }).ok;
  for (const [key, version] of [
    ['O1.p1', '7'],
    ['O1.p1', '0'],
    ['O1.p1', '07'],
    ['O1.p1', 'seven'],
    ['O1', '7'],
    ['O1.p1.x', '7'],
    ['O1.p-1', '7'],
    ['O-1.p1', '7'],
    ['O1.p 1', '7'],
    ['O1..', '7'],
    ['.p1', '7'],
    [`O1.${'p'.repeat(128)}`, '7'],
    [`O1.${'p'.repeat(129)}`, '7'],
  ] as const)
    expect(`${key} ${version}: ${judged(key, version)}`).toBe(`${key} ${version}: ${read(key, version)}`);
});

test('a dead letter is as the document says', () => {
  const message = { offset: 3n, key: null, value: Buffer.from('x'), headers: [], timestamp: 0 };
  const problems = [{ field: 'email', message: 'is missing' }];
  const dead = { topic: 'host.profiles', partition: 2, message, reason: 'invalid', problems } as const;
  const documented = messageCalled('dead-letter').headers as {
    readonly properties: Readonly<Record<string, object>>;
  };
  for (const leftOut of ['nothing', 'value'] as const) {
    const { headers } = toDeadLetter('host.dead-letter', dead, new Date(0), leftOut);
    expect(problemsOf(documented, headers)).toEqual([]);
    expect(Object.keys(headers).filter((name) => !(name in documented.properties))).toEqual([]);
  }
});

test('without Kafka the document says that its topics are the default names, and with it nothing of it', () => {
  const introductionOf = (isConfigured: boolean) =>
    asyncApiDocument({
      issuer: 'https://a.example',
      baseUrl: 'https://a.example',
      version: '1',
      topics: defaultTopicNames,
      isConfigured,
    }).info.description;
  expect(introductionOf(false)).toMatch(/^This Grantbook runs without Kafka.*default names/);
  expect(introductionOf(true)).not.toContain('default names');
});
