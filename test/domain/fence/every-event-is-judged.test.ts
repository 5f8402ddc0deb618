import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  eventDescriptions,
  eventsByCategory,
  eventTypes,
  ownStreamOf,
  type DomainEvent,
  type EventType,
} from '../../../src/domain/events.ts';
import { idOf } from '../../../src/domain/kernel/stream-name.ts';
import { streamOfSubject } from '../../../src/domain/fence/fence.ts';
import { fenceEventTypes, fenceRowOf } from '../../../src/domain/fence/fence-rows.ts';

/**
 * Events that an older version may not pass over, and that neither end nor open the access of tokens that are out. A new
 * one belongs here only after the question: may a token that was issued before it be accepted after it?
 */
const leaveTokensAlone: readonly EventType[] = [
  // What an add-on may ask for next; an operator applies it to grants by revoking them.
  ...(['AddonRegistered', 'AddonUpdated', 'AddonSecretAdded', 'AddonSecretRemoved'] as const),
  ...(['AddonAudienceAllowed', 'AddonAudienceDisallowed', 'AddonPropertiesReplaced'] as const),
  // Who people are, how they sign in, and what they may decide: read from their streams at each decision.
  ...(['AccountCreated', 'AccountEmailChanged', 'EmailClaimed', 'EmailReleased'] as const),
  ...(['PasswordSet', 'PasswordLinkIssued', 'PasskeyAdded', 'PasskeyRemoved'] as const),
  ...(['SessionStarted', 'SessionsEnded', 'SessionEnded', 'ActivationHandedOff'] as const),
  ...(['IdentityLinked', 'IdentityUnlinked', 'IdentityClaimed', 'IdentityReleased'] as const),
  ...(['RoleGranted', 'RoleRemoved', 'OperatorRemovalAllowed', 'OrganizationsMapped'] as const),
  ...(['AdministratorAdded', 'AdministratorRemoved', 'AuditorAdded', 'AuditorRemoved'] as const),
  ...(['PublisherCreated', 'PublisherMemberAdded', 'PublisherMemberRemoved', 'PublishersMapped'] as const),
  ...(['AddonPublisherSet', 'OrganizationShownToPublishers'] as const),
  // An erasure disables the account first.
  'AccountErased',
  // Tokens that are looked up in their own streams.
  ...(['AdministratorTokenIssued', 'AdministratorTokenRevoked'] as const),
  ...(['AddonTokenIssued', 'AddonTokenRevoked'] as const),
  ...(['OrganizationCreated', 'OrganizationExternalIdSet'] as const),
  ...(['ExternalIdClaimed', 'ExternalIdReleased'] as const),
  // Steps of a grant: what ends one is GrantRevoked, appended with them.
  ...([
    'ScopesApproved',
    'AudienceApproved',
    'AuthorizationCodeIssued',
    'AuthorizationCodeRedeemed',
  ] as const),
  ...(['CodeExchangeRejected', 'AuthorizationCodeReplayed', 'TokensRefreshed', 'TokensWithheld'] as const),
  ...(['RefreshRejected', 'RefreshTokenReused'] as const),
  // Records: what a token reads, not whether it may.
  ...(['ProfileRecorded', 'ProfileRemoved', 'ProfileErased', 'ReservationRecorded'] as const),
  ...(['ReservationRemoved', 'AccessRightRecorded', 'AccessRightRemoved'] as const),
  // Operation of the log, the keys and the signals.
  ...(['ProjectionSwapped', 'ParkedEventSkipped', 'LogHeadSigned', 'LogCopied', 'StreamsRemoved'] as const),
  ...(['SigningKeyMade', 'SigningKeyPublished', 'SigningKeyRetired'] as const),
  ...(['SignalStreamCreated', 'SignalStreamChanged', 'SignalStreamStatusChanged'] as const),
  ...(['SignalStreamReplayed', 'SignalStreamDeleted'] as const),
];

const stored = (type: EventType) => {
  const path = join(import.meta.dirname, '../../fixtures/events', `${type}.v1.json`);
  const { data } = JSON.parse(readFileSync(path, 'utf8')) as { readonly data: Record<string, unknown> };
  const event = { type, data } as unknown as DomainEvent;
  const id = type === 'ConsentWithdrawn' ? `${String(data['userId'])}.${String(data['addonId'])}` : 'id';
  return { stream: `stream-${id}`, revision: 1n, event };
};

test('P1: every event that an older version may not pass over ends or opens access, or leaves tokens alone', () => {
  const mustKnow = eventTypes.filter((type) => !eventDescriptions[type].maySkip);
  expect([...fenceEventTypes, ...leaveTokensAlone].toSorted()).toEqual(mustKnow.toSorted());
});

test('P1: the events that end or open access are exactly those with a row in the fence', () => {
  const withRow = eventTypes.filter((type) => fenceRowOf(stored(type)) !== null);
  expect(withRow.toSorted()).toEqual([...fenceEventTypes].toSorted());
});

test('P1: the row of an event is about a subject of its own stream, where `verify` looks for the event', () => {
  const rows = fenceEventTypes.map((type) => {
    const event = stored(type);
    const stream = ownStreamOf(type, event.event.data) ?? `${categoryOfType(type)}-${idOf(event.stream)}`;
    const row = fenceRowOf({ ...event, stream });
    return [type, row && streamOfSubject(row.subject), stream];
  });
  expect(rows.filter(([, found, stream]) => found !== stream)).toEqual([]);
});

const categoryOfType = (type: EventType) =>
  Object.entries(eventsByCategory).find(([, events]) => Object.hasOwn(events, type))?.[0];

test('each event type belongs to one category of streams: the last description of a name would replace the others', () => {
  const types = Object.values(eventsByCategory).flatMap((events) => Object.keys(events));
  expect(types.filter((type, index) => types.indexOf(type) !== index)).toEqual([]);
});
