import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type DomainEvent, eventDescriptions, eventTypes } from '../../../src/domain/events.ts';
import { codec, makeCodec, eventSchemas } from '../../../src/eventstore/codec/codec.ts';
import { UndecodableEvent, UnknownEventType } from '../../../src/eventstore/codec/codec-errors.ts';
import { type EventsIn, instant, maySkip, mustKnow } from '../../../src/domain/describe-event.ts';
import { as, internal, kept, plain, publish, utc } from '../../../src/domain/kernel/publication.ts';
import { describeFields } from '../../../scripts/docs/describe-schema.ts';
import { fixtures, stored } from './fixtures.ts';

const fixtureOf = (type: string) => {
  const found = fixtures.find((fixture) => fixture.type === type);
  if (!found) throw new Error(`no fixture of ${type}`);
  return found;
};

const messageOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
};

describe('the fixtures of stored events', () => {
  test('there is one for each event type and version', () => {
    const expected = Object.keys(eventSchemas).flatMap((type) =>
      Array.from(
        { length: codec.versionOf(type as DomainEvent['type']) },
        (_, index) => `${type}.v${index + 1}.json`,
      ),
    );
    expect(fixtures.map(({ file }) => file).sort()).toEqual(expected.sort());
  });

  test.each(fixtures)('$file is read and says so in its version', (fixture) => {
    const { event, metadata } = codec.decode(stored(fixture));
    const { maySkip: _, ...facts } = fixture.metadata;
    expect(event.type).toBe(fixture.type);
    expect({ version: fixture.version, ...metadata }).toEqual(facts);
  });

  const schemaOf = ({ type }: (typeof fixtures)[number]): z.ZodObject =>
    eventSchemas[type as DomainEvent['type']];
  const newest = fixtures.filter(
    ({ type, version }) => version === codec.versionOf(type as DomainEvent['type']),
  );

  /** Fields that came to the type later are null in what was stored before; all are in the order of the schema. */
  const dataNow = (fixture: (typeof fixtures)[number], schema = schemaOf(fixture)) => {
    const data: Readonly<Record<string, unknown>> = { ...fixture.data };
    return Object.fromEntries(
      Object.keys(describeFields(schema)).map((field) => [field, data[field] ?? null]),
    );
  };

  test.each(newest)('$file comes back as it was and is stored again byte by byte', (fixture) => {
    const { event, metadata } = codec.decode(stored(fixture));
    const data = dataNow(fixture);
    expect(event.data).toEqual(data);
    const again = codec.encode(event, metadata);
    expect(JSON.stringify(again.data)).toBe(JSON.stringify(data));
    expect(JSON.stringify(again.metadata)).toBe(JSON.stringify(fixture.metadata));
  });

  test('OP-11: a field that came later may stand before others, and is described like them', () => {
    const ended = fixtureOf('SessionEnded');
    const schema = z.strictObject({ device: z.string().nullable().default(null), at: z.int() });
    expect(describeFields(schema)).toEqual({ device: 'string or null', at: 'integer' });
    const next = makeCodec({ schemas: { ...eventSchemas, SessionEnded: schema }, upcasts: {} });
    const { event, metadata } = next.decode(stored(ended));
    expect(JSON.stringify(next.encode(event, metadata).data)).toBe(JSON.stringify(dataNow(ended, schema)));
    const absent = z.strictObject({ device: z.string().default('unknown'), at: z.int() });
    expect(() => describeFields(absent)).toThrow('null');
  });

  const listOf = /^list of one of /;
  const without = (now: string, then: string): readonly string[] =>
    listOf.test(now) && listOf.test(then)
      ? (then.match(/`[^`]+`/g)?.filter((value) => !now.includes(value)) ?? [])
      : now === then
        ? []
        : [then];

  test.each(newest)(
    'the schema of $type still has what $file has, with more fields and more values of lists at most: any other change is a new version',
    (fixture) => {
      const now = describeFields(eventSchemas[fixture.type as DomainEvent['type']]);
      expect(Object.keys(fixture.shape)).toEqual(Object.keys(fixture.data));
      expect(
        Object.entries(fixture.shape).flatMap(([field, then]) => without(now[field] ?? '', then)),
      ).toEqual([]);
    },
  );
});

describe('what the next version adds to an event without a new version of it', () => {
  const issued = fixtureOf('AuthorizationCodeIssued');
  const read = (data: object) => codec.decode(stored(issued, { data })).event.data;

  test('OP-11: fields at any depth, and values of lists such as a scope, are left out', () => {
    const { subject, scopes } = issued.data as { subject: object; scopes: readonly string[] };
    const [first = '', ...others] = scopes;
    const later = {
      ...issued.data,
      subject: { ...subject, tenant: 'T1' },
      scopes: ['doors:open', first, 'doors:read', ...others, 'doors:close'],
      dpop: { jkt: 'x' },
    };
    expect(read(later)).toEqual(issued.data);
  });

  test('OP-11: nothing else is: a damaged field is an error, and a value that is not in a list, too', () => {
    for (const change of [{ at: 'noon' }, { subject: { kind: 'team', teamId: 'T1', epoch: 1 } }])
      expect(() => read({ ...issued.data, dpop: null, ...change })).toThrow(UndecodableEvent);
    const reason = { ...fixtureOf('GrantRevoked').data, reason: 'revoked-by-magic', more: 1 };
    const revoked = stored(fixtureOf('GrantRevoked'), { data: reason });
    expect(() => codec.decode(revoked)).toThrow('data.reason is not one of the known values');
  });

  test('OP-11: the next version reads what this one stored, with null in its own field', () => {
    const ended = fixtureOf('SessionEnded');
    const schema = z.strictObject({ at: z.int(), device: z.string().nullable().default(null) });
    const next = makeCodec({ schemas: { ...eventSchemas, SessionEnded: schema }, upcasts: {} });
    expect(next.decode(stored(ended)).event.data).toEqual({ ...ended.data, device: null });
    const event = { type: 'SessionEnded', data: { at: 7, device: 'x' } } as unknown as DomainEvent;
    const { data, metadata } = next.encode(event);
    expect(codec.decode(stored(ended, { data, metadata })).event.data).toEqual({ at: 7 });
  });
});

describe('writing an event', () => {
  test('keys are stored in the order of the schema, whatever the order they came in', () => {
    const event: DomainEvent = { type: 'EmailClaimed', data: { at: 5, userId: 'U1' } };
    expect(JSON.stringify(codec.encode(event).data)).toBe('{"userId":"U1","at":5}');
  });

  test.each([
    ['a bigint', { userId: 'U1', at: 5n }, 'event EmailClaimed: data.at is not a number'],
    ['nothing', { userId: undefined, at: 5 }, 'event EmailClaimed: data.userId is not a string'],
    ['a fraction', { userId: 'U1', at: 5.5 }, 'event EmailClaimed: data.at is not an int'],
    ['not a number', { userId: 'U1', at: Number.NaN }, 'event EmailClaimed: data.at is not a number'],
    [
      'a secret too many',
      { userId: 'U1', at: 5, token: 'x' },
      'event EmailClaimed: data has unknown fields: token',
    ],
  ])('%s is refused before it reaches the log', (_, data, message) => {
    const write = () => codec.encode({ type: 'EmailClaimed', data } as unknown as DomainEvent);
    expect(messageOf(write)).toBe(message);
  });
});

describe('reading an event', () => {
  test('one that does not fit is an error that names place and field, and no values', () => {
    const damaged = { ...fixtureOf('ProfileRecorded').data, email: 4711, locale: ['private'] };
    const read = () => codec.decode(stored({ ...fixtureOf('ProfileRecorded'), data: damaged }));
    expect(read).toThrow(UndecodableEvent);
    expect(messageOf(read)).toBe(
      'event ProfileRecorded at profile-01K9RZ3Q5V0000000000000003.R_1042@4 cannot be decoded: data.email is not a string; data.locale is not a string',
    );
  });

  test('an unknown value of a known list is named by its field only', () => {
    const fixture = fixtureOf('GrantRevoked');
    const read = () => codec.decode(stored({ ...fixture, data: { ...fixture.data, reason: 'hush' } }));
    expect(messageOf(read)).toBe(
      'event GrantRevoked at grant-G1@4 cannot be decoded: data.reason is not one of the known values',
    );
  });

  test('an unknown type is an error that names type and stream, and can be asked for beforehand', () => {
    expect(codec.knows('GrantPainted')).toBe(false);
    expect(codec.knows('toString')).toBe(false);
    const read = () => codec.decode(stored({ type: 'GrantPainted', data: {}, metadata: { version: 1 } }));
    expect(read).toThrow(UnknownEventType);
    expect(messageOf(read)).toBe('event type GrantPainted at grant-G1@4 is unknown');
  });

  test.each([
    ['GrantPainted', { version: 1 }, false],
    ['GrantPainted', { version: 1, maySkip: true }, true],
    ['GrantPainted', { version: 1, maySkip: 'true' }, false],
    ['GrantPainted', null, false],
    ['SessionEnded', { version: 2 }, false],
    ['SessionEnded', { version: 2, maySkip: true }, true],
    ['SessionEnded', { maySkip: true }, false],
  ])(
    'FX-39: a reader that does not know %s with the metadata %j: may it continue? %s',
    (type, metadata, maySkip) => {
      const read = () => codec.decode(stored({ ...fixtureOf('SessionEnded'), type }, { metadata }));
      expect(read).toThrow(expect.objectContaining({ maySkip }));
    },
  );

  test('FX-39: an event of a known version that is damaged may not be skipped, whatever its metadata say', () => {
    const metadata = { version: 1, maySkip: true };
    const read = () => codec.decode(stored(fixtureOf('SessionEnded'), { data: { at: 'noon' }, metadata }));
    expect(read).toThrow(expect.objectContaining({ maySkip: false }));
  });

  test.each([
    ['without metadata', undefined, 'metadata is not an object'],
    ['without a version', {}, 'metadata.version is not a number'],
    ['of a newer version', { version: 2 }, 'metadata.version is 2, newer than 1, the newest version known'],
  ])('an event %s is an error', (_, metadata, problem) => {
    const read = () => codec.decode(stored(fixtureOf('SessionEnded'), { metadata }));
    expect(messageOf(read)).toBe(`event SessionEnded at session-G1@4 cannot be decoded: ${problem}`);
  });

  test('metadata of other writers is left out', () => {
    const metadata = { version: 1, actor: 'break-glass', $correlationId: 'theirs' };
    expect(codec.decode(stored(fixtureOf('SessionEnded'), { metadata })).metadata).toEqual({
      actor: 'break-glass',
    });
  });
});

describe('an event type with a history', () => {
  const thirdVersion = makeCodec({
    schemas: {
      ...eventSchemas,
      SessionEnded: z.strictObject({ endedAt: z.int(), by: z.string().nullable() }),
    },
    upcasts: {
      SessionEnded: [
        (data) => ({ endedAt: (data as { at: number }).at }),
        (data) => ({ ...(data as object), by: null }),
      ],
    },
  });

  test.each([
    [1, { at: 7 }],
    [2, { endedAt: 7 }],
    [3, { endedAt: 7, by: null }],
  ])('version %i is read as the newest', (version, data) => {
    const read = thirdVersion.decode(stored({ type: 'SessionEnded', data, metadata: { version } }));
    expect(read.event.data).toEqual({ endedAt: 7, by: null });
  });

  test('the newest version is what is written', () => {
    const event = { type: 'SessionEnded', data: { endedAt: 7, by: null } } as unknown as DomainEvent;
    expect(thirdVersion.encode(event).metadata).toEqual({ version: 3 });
  });
});

test('an event type does not compile while anything about it is undecided', () => {
  const shape = { name: z.string(), note: z.string().nullable(), at: instant };
  const rest = { sentence: () => 'It happened.', subjects: null, notices: null };
  const kafka = internal('it is invented');
  const [name, note, at] = [as('name', plain<string>()), kept<string | null>('is a remark'), as('at', utc)];
  const events = { Noted: maySkip(shape, { ...rest, kafka }) };
  type Noted = EventsIn<typeof events>;
  const noted: Noted = { type: 'Noted', data: { name: 'x', note: null, at: 1 } };
  // @ts-expect-error its data are what the schema says
  const other: Noted = { type: 'Noted', data: { name: null, note: null, at: 1 } };
  // @ts-expect-error and never change
  noted.data.name = 'y';
  // @ts-expect-error when it was decided
  mustKnow({ name: z.string() }, { ...rest, kafka });
  // @ts-expect-error its sentence in timelines
  mustKnow(shape, { subjects: null, notices: null, kafka });
  // @ts-expect-error in whose timelines
  mustKnow(shape, { sentence: () => '', notices: null, kafka });
  // @ts-expect-error what add-ons are told
  mustKnow(shape, { sentence: () => '', subjects: null, kafka });
  // @ts-expect-error whether Kafka publishes it
  mustKnow(shape, rest);
  // @ts-expect-error FX-39: whether an older version may continue without it
  const unanswered: typeof events.Noted = { ...rest, kafka, schema: z.strictObject(shape) };
  mustKnow(shape, { ...rest, kafka: publish({ name, note, at }) });
  // @ts-expect-error a field that is neither published nor kept back
  mustKnow(shape, { ...rest, kafka: publish({ name, at }) });
  // @ts-expect-error a field of another type than was decided for
  mustKnow(shape, { ...rest, kafka: publish({ name, note: kept<string>('is a remark'), at }) });
  // @ts-expect-error a field that it does not have
  mustKnow(shape, { ...rest, kafka: publish({ name, note, at, by: kept<string>('says who') }) });
  // @ts-expect-error a personal field that is no text
  mustKnow(shape, { ...rest, kafka, personal: { fields: ['at'], subject: () => 'account:U1' } });
  expect([other.type, unanswered.sentence]).toEqual(['Noted', rest.sentence]);
  expect(describeFields(events.Noted.schema)).toEqual({
    name: 'string',
    note: 'string or null',
    at: 'integer',
  });
});

test('FX-39: every event states in its metadata whether a reader that does not know it may continue; those that must be known grow by nothing', () => {
  const encoded = eventTypes.map((type) => {
    const { event } = codec.decode(stored(fixtureOf(type)));
    const { maySkip: skippable } = eventDescriptions[type];
    return { type, says: codec.encode(event).metadata.maySkip, skippable };
  });
  expect(encoded.filter(({ says, skippable }) => says !== (skippable ? true : undefined))).toEqual([]);
  expect(encoded.filter(({ says }) => says).map(({ type }) => type)).toEqual([
    'AddonVerificationSet',
    'AddonChangeRequested',
    'AddonChangeApproved',
    'AddonChangeRefused',
    'AddonChangeWithdrawn',
    'PasswordLinkNotMailed',
    'SignInBlocked',
    'SignInUnblocked',
    'AccountRenamed',
    'PreferencesChosen',
    'PasskeyRenamed',
    'OrganizationRenamed',
    'PublisherRenamed',
    'RevocationCompleted',
    'AuthorizationRefused',
    'DeadLetterResent',
    'DeadLetterShown',
    'HostMessagesExpired',
    'ExpiredMessagesConfirmed',
    'AuditQueried',
  ]);
});
