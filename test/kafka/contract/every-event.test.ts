import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DomainEvent, EventType } from '../../../src/domain/events.ts';
import type { StreamName } from '../../../src/domain/streams.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { eventSchemas } from '../../../src/eventstore/codec/codec.ts';
import { decisions, publications, publishedTypes } from '../../../src/kafka/contract/decisions.ts';
import { needsOwner, type GrantOwner } from '../../../src/kafka/contract/identity.ts';
import type { MessageToPublish } from '../../../src/kafka/kafka-client.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { dataOf, text, tracesOf } from './event-arbitraries.ts';
import { toMessage } from './message-fixtures.ts';

type Case = { readonly recorded: RecordedEvent; readonly owner: GrantOwner | null; readonly key: string };

const owners: fc.Arbitrary<GrantOwner> = fc
  .tuple(text, text, fc.nat(), fc.boolean())
  .map(([addonId, id, epoch, isUser]) => ({
    addonId,
    subject: isUser
      ? { kind: 'user', userId: id, epoch }
      : { kind: 'organization', organizationId: id, epoch },
  }));

const subjectIdOf = ({ subject }: GrantOwner) =>
  subject.kind === 'user' ? subject.userId : subject.organizationId;

/** The stream that an event of this data would be in, what the relay knows of it, and the key that is promised. */
const placeOf = (event: DomainEvent, owner: GrantOwner, isOwn: boolean) => {
  const { type, data } = event;
  const subjectId = subjectIdOf(owner);
  switch (publications.find((publication) => publication.event === type)?.message.identity) {
    case 'activation': {
      const pair =
        'organizationId' in data
          ? `${data.organizationId}.${(data as { addonId: string }).addonId}`
          : `${subjectId}.${owner.addonId}`;
      return { stream: `activation-${pair}`, owner: null, key: pair };
    }
    case 'grant': {
      const first = type === 'AuthorizationCodeIssued' ? data : null;
      const known = first ?? owner;
      return {
        stream: `grant-${first?.grantId ?? '01K9RZ3Q5V0000000000000009'}`,
        owner: first ? null : owner,
        key: `${subjectIdOf(known)}.${known.addonId}`,
      };
    }
    case 'consent': {
      const { userId, addonId } = data as { userId: string; addonId: string };
      const pair = `${isOwn ? userId : subjectId}.${addonId}`;
      return { stream: `consent-${pair}`, owner: null, key: pair };
    }
    case 'addon': {
      const addonId = 'addonId' in data ? data.addonId : owner.addonId;
      return { stream: `addon-${addonId}`, owner: null, key: addonId };
    }
    case 'organization':
      return { stream: `organization-${subjectId}`, owner: null, key: subjectId };
    case undefined:
      return { stream: `account-${subjectId}`, owner: null, key: '' };
  }
};

const audit = {
  actor: 'SENTINEL-ACTOR',
  tokenId: 'SENTINEL-TOKEN',
  correlationId: 'SENTINEL-CORRELATION',
  causationId: 'SENTINEL-CAUSATION',
};

const casesOf = (type: EventType, isOwn: boolean): fc.Arbitrary<Case> =>
  fc.tuple(dataOf(type), owners, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })).map(([data, anyOwner, at]) => {
    const event = { type, data } as unknown as DomainEvent;
    const { stream, owner, key } = placeOf(event, anyOwner, isOwn);
    const recorded: RecordedEvent = {
      id: '0b5b2f0e-7f5e-4c8a-9d53-6a6f3a1f2c11',
      stream: stream as StreamName,
      revision: 0n,
      position: { commit: at, prepare: at },
      created: 1_795_168_800_130,
      event,
      metadata: audit,
    };
    return { recorded, owner, key };
  });

const messageOf = ({ recorded, owner }: Case): MessageToPublish => {
  const message = toMessage(recorded, owner);
  if (!message) throw new Error(`${recorded.event.type} does not go out`);
  return message;
};

const keptOf = (type: EventType): readonly string[] => {
  const decision = decisions[type];
  if (decision.kind !== 'published') return [];
  return Object.entries(decision.fields).flatMap(([field, { kind }]) => (kind === 'kept' ? [field] : []));
};

type Kind = { readonly type: EventType; readonly whose: string; readonly isOwn: boolean };

const ofEachKind = publishedTypes.flatMap((type): readonly Kind[] =>
  type === 'ScopesApproved' || type === 'ConsentWithdrawn'
    ? [
        { type, whose: 'an organization', isOwn: false },
        { type, whose: 'a user', isOwn: true },
      ]
    : [{ type, whose: 'anyone', isOwn: false }],
);

describe.each(ofEachKind)('DA-06: $type of $whose', ({ type, isOwn }) => {
  const cases = casesOf(type, isOwn);
  const contract = publications.find((publication) => publication.event === type)?.message;

  test('goes out with the data and the key that the contract promises', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const message = messageOf(given);
        const data: unknown = JSON.parse(String(message.value));
        expect(contract?.data.parse(data)).toEqual(data);
        expect(message.key).toBe(given.key);
        expect(message.headers['ce_partitionkey']).toBe(given.key);
        expect(needsOwner(given.recorded)).toBe(given.owner !== null);
      }),
      propertyRuns(50),
    );
  });

  test('nothing of what is kept back, and nothing of who acted, is anywhere in the message', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { data } = given.recorded.event;
        const held = keptOf(type)
          // Of a user's own consent the subject is who approved.
          .filter((field) => !(isOwn && field === 'userId'))
          .flatMap((field) => tracesOf(data[field as never]));
        const whole = JSON.stringify(messageOf(given));
        expect([...held, ...Object.values(audit)].filter((trace) => whole.includes(trace))).toEqual([]);
      }),
      propertyRuns(50),
    );
  });
});

const internalTypes = (Object.keys(eventSchemas) as EventType[]).filter(
  (type) => !publishedTypes.includes(type),
);

test.each(internalTypes)('%s does not go out, and it is said why', (type) => {
  fc.assert(
    fc.property(casesOf(type, false), ({ recorded }) => {
      expect(toMessage(recorded, null)).toBeNull();
    }),
    propertyRuns(5),
  );
  const decision = decisions[type];
  expect(decision.kind === 'internal' && decision.reason).toMatch(/\w{2,} \w+/);
});

test('no secret, name, address or actor is published, under whatever name', () => {
  const published = publications.flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([field, { kind }]) => (kind === 'published' ? [field] : [])),
  );
  const never =
    /salt|keyId|digest|secret|password|challenge|verifier|nonce|name|email|phone|by$|userId|uri|url/i;
  expect(published.filter((field) => never.test(field))).toEqual([]);
});

test('a grant of nobody known is an error, and no message', () => {
  fc.assert(
    fc.property(casesOf('GrantRevoked', false), ({ recorded }) => {
      expect(() => toMessage(recorded, null)).toThrow(/nobody said whose grant-/);
    }),
    propertyRuns(5),
  );
});
