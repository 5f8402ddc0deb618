import { expect, test } from 'vitest';
import { personalFieldsOf } from '../../src/domain/events.ts';
import { eventSchemas } from '../../src/eventstore/codec/codec.ts';
import { describeFields } from '../../scripts/docs/describe-schema.ts';
import { webAddresses } from '../../src/domain/addons/web-addresses.ts';

/**
 * Texts in events that are about nobody. Whoever adds a field decides: encrypted (src/domain/personal-data.ts), or here, when it
 * says nothing about a person to whoever has nothing else than the event.
 */
const aboutNobody: readonly string[] = [
  // Ids of ours and of the host platform: links, not names.
  'addonId',
  'changeId',
  'publisherId',
  'publisherIds',
  'grantId',
  'id',
  'organizationId',
  'profileId',
  'reservationId',
  'secretId',
  'passkeyId',
  'SessionStarted.passkey', // the id of a passkey, and the words of amr (RFC 8176)
  'sessionId',
  'exceptSession',
  'PasswordSet.ended', // the id of a session
  'tokenId',
  'madeBy', // both ids
  'userId',
  'OperatorRemovalAllowed.remaining', // a user's id
  'by', // a user's id, or `operator`
  'subject', // ids
  'eventId',
  'topic', // of Kafka
  'offset',
  'DeadLetterResent.to', // a topic
  'HostMessagesExpired.from', // offsets
  'HostMessagesExpired.until',
  'key', // of what is parked: a stream's name
  'position',
  'parameters', // ids, times and positions
  'LogCopied.head', // a signed head
  'StreamsRemoved.streams', // ids, and hashes of what is stored
  // Of an add-on or an organization, which are no persons.
  'AddonRegistered.name',
  'AddonUpdated.name',
  'AddonUpdated.publisher',
  ...webAddresses.flatMap((name) => [`AddonUpdated.${name}`, `AddonChangeRequested.${name}`]),
  'AddonUpdated.logo',
  'AddonChangeRefused.reason', // an operator's words for a publisher
  'addRedirectUris',
  'removeRedirectUris',
  'addPostLogoutRedirectUris',
  'removePostLogoutRedirectUris',
  'PublisherCreated.name',
  'PublisherRenamed.name',
  'OrganizationCreated.name',
  'OrganizationRenamed.name',
  // The host platform's id of an organization.
  'OrganizationExternalIdSet.externalId',
  'configurationUrl',
  'postLogoutRedirectUris',
  'redirectUri',
  'redirectUris',
  'resources',
  'audiences',
  'audience',
  'resourceServerId',
  // Of an identity provider.
  'provider',
  'issuer',
  'organizationIds',
  // Of keys that sign.
  'kid',
  'alg',
  'publicJwk',
  'successor',
  // Made by us: keys' ids, digests, salts.
  'codeChallenge',
  'root',
  'proof',
  'jws',
  'digest',
  'keyId',
  'nonce',
  'salt',
  // How a user signed in, and with which provider of our settings: not as whom.
  'authentication',
  'upstream',
  'choice', // a digest of ids
  // About things.
  'endsAt',
  'opens',
  'projection',
  'reason',
  'resource',
  'startsAt',
  'validFrom',
  'validUntil',
  // Of a signal stream, which belongs to an add-on.
  'streamId',
  'endpointUrl',
  'authorization', // encrypted
  'eventsRequested',
  'description',
  'after', // a position
];

/** Every text that is not encrypted, as `Type.field`. */
const clear = Object.entries(eventSchemas).flatMap(([type, schema]) =>
  Object.entries(describeFields(schema))
    .filter(([field, words]) => /\bstring\b/.test(words) && !personalFieldsOf(type)?.includes(field))
    .map(([field]) => `${type}.${field}`),
);
const covers = (judged: string, text: string): boolean => text === judged || text.endsWith(`.${judged}`);

test('each text in an event is sealed, or somebody has decided that it is about nobody', () => {
  expect(clear.filter((text) => !aboutNobody.some((judged) => covers(judged, text)))).toEqual([]);
  expect(aboutNobody.filter((judged) => !clear.some((text) => covers(judged, text)))).toEqual([]);
});

test('no event has a field of the name that sealed fields are kept under', () => {
  const fields = Object.values(eventSchemas).flatMap((schema) => Object.keys(describeFields(schema)));
  expect(fields).not.toContain('personal');
});
