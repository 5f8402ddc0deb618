import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { eventTypesByCheckpoint } from '../../src/compose/event-types-by-checkpoint.ts';
import { spelled } from '../../src/domain/describe-event.ts';
import type * as addons from '../../src/domain/addons/events.ts';
import {
  describeEvent,
  type DomainEvent,
  eventTypes,
  type EventType,
  personalFieldsOf,
  personIn,
  subjectsOf,
  typesWithSubjects,
} from '../../src/domain/events.ts';
import { textOf } from '../../src/domain/kernel/sentence.ts';
import { addonStream } from '../../src/domain/streams.ts';
import { codec, eventSchemas, makeCodec } from '../../src/eventstore/codec/codec.ts';
import { RefusedEvent, UnknownEventType } from '../../src/eventstore/codec/codec-errors.ts';
import type { RecordedEvent } from '../../src/eventstore/event-store.ts';
import { asyncApiDocument } from '../../src/kafka/contract/async-api/document.ts';
import type * as contract from '../../src/kafka/contract/messages/messages.ts';
import { defaultTopicNames } from '../../src/kafka/topics.ts';
import { draftsOf } from '../../src/signals/projection.ts';
import { stored, type Fixture } from '../eventstore/codec/fixtures.ts';
import { toMessage } from '../kafka/contract/message-fixtures.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { makePaintAddon } from './invented/paint-addon.ts';

// A new event is its description, and the message that Kafka's readers are promised: `invented/` has both, and nothing in `src` names them.

vi.mock('../../src/domain/addons/events.ts', async (load) => {
  const real = await load<typeof addons>();
  const { inventedEvents } = await import('./invented/events.ts');
  return { ...real, addonEvents: { ...real.addonEvents, ...inventedEvents } };
});
vi.mock('../../src/kafka/contract/messages/messages.ts', async (load) => {
  const { messages } = await load<typeof contract>();
  const { inventedMessages } = await import('./invented/messages.ts');
  return { messages: { ...messages, ...inventedMessages } };
});

const at = 1_795_168_800_123;
const [addonId, by] = ['01K9RZ3Q5V0000000000000002', '01K9RZ3Q5V0000000000000001'];
const issuer = 'https://grantbook.example';
const store = memoryStore();
const paint = makePaintAddon({ store, now: () => at });
const fixtureOf = (type: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, `invented/${type}.v1.json`), 'utf8')) as Fixture;

const first = await paint({ addonId, color: 'green', by });
const [painted, praised] = (await store.read(addonStream(addonId))).events as [RecordedEvent, RecordedEvent];

describe('an event type and a command that are not in src', () => {
  test('its command decides on what it has stored', async () => {
    expect(first).toEqual({ ok: true, value: { color: 'green' } });
    expect(await paint({ addonId, color: 'red', by })).toEqual({ ok: false, refusal: 'only-once' });
    expect(await paint({ addonId, color: 'green', by })).toEqual({ ok: true, value: { color: 'green' } });
    expect((await store.read(addonStream(addonId))).events).toHaveLength(2);
    expect(painted.event).toEqual({ type: 'AddonPainted', data: { color: 'green', by, at } });
  });

  test.each(['AddonPainted', 'AddonPaintPraised'])('%s is stored byte by byte as its example', (type) => {
    const { data, metadata } = fixtureOf(type);
    const { event } = type === 'AddonPainted' ? painted : praised;
    expect(JSON.stringify(codec.encode(event, { actor: by }))).toBe(JSON.stringify({ type, data, metadata }));
    expect(codec.decode(stored(fixtureOf(type), { streamId: addonStream(addonId) })).event).toEqual(event);
  });

  test('its data are checked, and streams of another category may not hold it', () => {
    const event = { type: 'AddonPainted', data: { color: 'blue', by, at } } as unknown as DomainEvent;
    expect(() => codec.encode(event)).toThrow('data.color is not one of the known values');
    const elsewhere = stored(fixtureOf('AddonPainted'), { streamId: 'session-S1' });
    expect(() => codec.decode(elsewhere)).toThrow(RefusedEvent);
  });

  test('FX-39: an older reader stops at one, and may continue without the other', () => {
    const known = Object.entries(eventSchemas).filter(([type]) => !type.startsWith('AddonPaint'));
    const older = makeCodec({ schemas: Object.fromEntries(known) as typeof eventSchemas, upcasts: {} });
    const read = (type: string) => () => older.decode(stored(fixtureOf(type)));
    expect(read('AddonPainted')).toThrow(expect.objectContaining({ maySkip: false }));
    expect(read('AddonPaintPraised')).toThrow(expect.objectContaining({ maySkip: true }));
    expect(read('AddonPaintPraised')).toThrow(UnknownEventType);
  });

  test('timelines of its subjects tell it in a sentence', () => {
    const place = { streamId: addonId, owner: null };
    const name = (id: string) => `<${id.at(-1)}>`;
    const telling = { ...spelled, ...place, organization: name, addon: name, user: name };
    expect(textOf(describeEvent(painted.event, telling))).toBe('<2> was painted green by <1>.');
    expect(textOf(describeEvent(praised.event, telling))).toBe('<1> praised the paint of <2>.');
    expect(subjectsOf(painted.event, place)).toEqual([
      { kind: 'addon', id: addonId },
      { kind: 'user', id: by },
    ]);
    expect(typesWithSubjects).toEqual(expect.arrayContaining(['AddonPainted', 'AddonPaintPraised']));
  });

  test('Kafka publishes the one, as its contract in the document promises, and keeps the other', () => {
    const message = toMessage(painted, null);
    expect(message).toMatchObject({ topic: 'grantbook.addons', key: addonId });
    expect(JSON.parse(String(message?.value))).toEqual({
      addon_id: addonId,
      color: 'green',
      at: new Date(at).toISOString(),
    });
    expect(toMessage(praised, null)).toBeNull();
    const about = { issuer, baseUrl: issuer, version: '1', topics: defaultTopicNames };
    expect(asyncApiDocument(about)).toMatchObject({
      components: { schemas: { 'grantbook.addon.painted.v1': { required: ['addon_id', 'color', 'at'] } } },
    });
  });

  test('add-ons are notified of the one alone', () => {
    const past = { grant: () => null, holders: () => [] };
    expect(draftsOf(painted, past, issuer)).toMatchObject([
      {
        addonId,
        queue: 'addon',
        type: `${issuer}/signals/registration-changed`,
        payload: { changed: ['green'], reason: 'An operator painted the add-on.' },
      },
    ]);
    expect(draftsOf(praised, past, issuer)).toEqual([]);
  });

  test('what is about a person in it is encrypted under the key of that person', () => {
    expect(personalFieldsOf('AddonPainted')).toBeNull();
    expect(personalFieldsOf('AddonPaintPraised')).toEqual(['words']);
    expect(personIn('AddonPaintPraised', praised.event.data, praised.stream)).toBe(`account:${by}`);
  });

  test('who reads the log in order to tell, publish or show it asks for it', () => {
    const { signals, 'kafka-relay': relay, timelines: history } = eventTypesByCheckpoint(true);
    const invented = eventTypes.filter((type) => type.startsWith('AddonPaint'));
    const asked = (types: readonly EventType[] = []) => invented.filter((type) => types.includes(type));
    expect(invented).toEqual(['AddonPainted', 'AddonPaintPraised']);
    expect(asked(signals)).toEqual(['AddonPainted']);
    expect(asked(relay)).toEqual(['AddonPainted']);
    expect(asked(history)).toEqual(invented);
  });
});

test('contributing.md names what a command with a new event touches: at most 12 files, and no registry', () => {
  const root = join(import.meta.dirname, '../..');
  const page = readFileSync(join(root, 'docs/contributing.md'), 'utf8');
  const files = [...page.matchAll(/^\| \d+ +\| `([^`]+)`/gm)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(7);
  expect(files.length).toBeLessThanOrEqual(12);
  const folders = files.map((file) => dirname(file.replaceAll('<feature>', 'addons')));
  expect(folders.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
});
