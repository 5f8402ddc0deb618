import type { Owner } from '../../domain/event-subjects.ts';
import type { EventOf, EventType } from '../../domain/events.ts';
import type { RecordChange } from '../../domain/records/record-resource.ts';
import type { RoleSource } from '../../domain/people/role-source.ts';
import { eachRecordEvent } from '../../domain/records/each-record.ts';
import type { RecordResource } from '../../domain/records/record-resources.ts';
import type { RecordKey } from '../../domain/records/record.ts';
import type { Scope } from '../../domain/access/scope.ts';
import type { SignalMethod } from '../../domain/signals/signal-stream.ts';
import { splitId } from '../../domain/kernel/stream-name.ts';
import { markName, sentenceOf, type Sentence } from './sentence.ts';

/** What sentences are made of: names, which are marked, with ids, and what the event itself does not contain. */
export type DescriptionContext = {
  /** The part of the stream's name after the first dash. */
  readonly streamId: string;
  readonly owner: Owner | null;
  readonly organization: (id: string) => string;
  readonly addon: (id: string) => string;
  readonly user: (id: string) => string;
};

type Sentences = {
  readonly [T in EventType]: (data: EventOf<T>['data'], telling: DescriptionContext) => string;
};

const timeOf = (instant: number): string => new Date(instant).toISOString();
const listOf = (scopes: readonly Scope[]): string => (scopes.length === 0 ? 'no scope' : scopes.join(' '));
const ofActivation = (telling: DescriptionContext) => {
  const [organizationId, addonId] = splitId(telling.streamId);
  return { addon: telling.addon(addonId), organization: telling.organization(organizationId) };
};
const ofGrant = ({ streamId, owner, addon }: DescriptionContext) => ({
  grant: `grant ${streamId}`,
  addon: owner?.addonId ? addon(owner.addonId) : 'the add-on',
});
const ofSession = ({ streamId, owner, user }: DescriptionContext) => ({
  session: `session ${streamId}`,
  user: owner?.userId ? user(owner.userId) : 'a user',
});
const whose = (subjectId: string, userId: string, { organization, user }: DescriptionContext): string =>
  subjectId === userId ? `the own records of ${user(userId)}` : `the records of ${organization(subjectId)}`;
const describeChange =
  ({ words: { one } }: RecordResource, change: RecordChange) =>
  ({ id, version }: RecordKey): string => {
    switch (change) {
      case 'Recorded':
        return `The host platform sent the ${one} ${id}, version ${version}.`;
      case 'Removed':
        return `The host platform removed the ${one} ${id} with version ${version}.`;
      case 'Erased':
        return `The person of ${one} ${id} was erased: the key of their data in the log was deleted.`;
    }
  };

const refusals: Readonly<Record<string, string>> = {
  'code-of-another-client': 'it came from another add-on',
  'redirect-uri-mismatch': 'the redirect URI was a different one',
  'verifier-mismatch': 'the code verifier was wrong (PKCE)',
  'code-expired': 'it had expired',
  'token-of-another-client': 'it came from another add-on',
};
/** How a role came about; nothing for what an operator did. */
const bySource: { readonly [S in RoleSource]: string } = { manual: '', claim: " by the provider's claim" };

const deliveryIn = (method: SignalMethod, endpointUrl: string | null): string =>
  method === 'poll' ? 'by polls' : `by pushes to ${markName(endpointUrl ?? '')}`;

/** A reason from the log, in words where there are any. */
const because = (reason: string): string => refusals[reason] ?? reason;

const addonChangesIn = (data: EventOf<'AddonUpdated'>['data']): string => {
  const { name, redirectUris, configurationUrl, allowedScopes, postLogoutRedirectUris, publisher } = data;
  const changes = [
    name === null ? '' : `it is now called "${markName(name)}"`,
    redirectUris === null ? '' : `its redirect URIs are now ${redirectUris.join(' ') || 'none'}`,
    configurationUrl === null ? '' : `its configuration URL is now ${configurationUrl}`,
    allowedScopes === null ? '' : `it may now ask for ${listOf(allowedScopes)}`,
    postLogoutRedirectUris === null
      ? ''
      : `a sign-out may now lead to ${postLogoutRedirectUris.join(' ') || 'no address'}`,
    publisher === null ? '' : `its publisher is now "${markName(publisher)}"`,
    data.website === null ? '' : `its website is now ${data.website}`,
    data.privacyUrl === null ? '' : `its privacy address is now ${data.privacyUrl}`,
    data.supportUrl === null ? '' : `its support address is now ${data.supportUrl}`,
    data.logo === null ? '' : 'it has a new logo',
  ];
  return changes.filter((change) => change !== '').join('; ');
};

/** What happened, for each event type: who acted, and why, is shown next to it. */
export const eventDescriptions: Sentences = {
  AddonRegistered: ({ name, allowedScopes }, { addon, streamId }) =>
    `${addon(streamId)} was registered as "${markName(name)}" and may ask for ${listOf(allowedScopes)}.`,
  AddonSecretAdded: ({ secretId }, { addon, streamId }) =>
    `${addon(streamId)} got the client secret ${secretId}.`,
  AddonSecretRemoved: ({ secretId }, { addon, streamId }) =>
    `The client secret ${secretId} of ${addon(streamId)} is no longer valid.`,
  AddonAudienceAllowed: ({ audience }, { addon, streamId }) =>
    `${addon(streamId)} was allowed to ask for access to "${audience}".`,
  AddonAudienceDisallowed: ({ audience }, { addon, streamId }) =>
    `${addon(streamId)} may no longer ask for access to "${audience}"; existing grants do not change.`,
  AddonSuspended: (_, { addon, streamId }) =>
    `${addon(streamId)} was suspended: everything it holds is refused until it is resumed.`,
  AddonResumed: (_, { addon, streamId }) =>
    `The suspension of ${addon(streamId)} was lifted: what had not ended works again.`,
  AddonUpdated: (data, { addon, streamId }) => `${addon(streamId)} was changed: ${addonChangesIn(data)}.`,
  AddonRetired: (_, { addon, streamId }) =>
    `${addon(streamId)} was retired for good: everything it holds has ended.`,
  AddonTokenIssued: ({ addonId, scopes, expiresAt }, { addon }) =>
    `${addon(addonId)} took an access token for itself with ${scopes.join(' ')}, until ${timeOf(expiresAt)}.`,
  AddonTokenRevoked: (_, { streamId }) =>
    `The add-on revoked the token ${streamId} that it had taken for itself.`,
  AccountCreated: ({ roles }, { user, streamId }) =>
    `The account of ${user(streamId)} was created${roles.length > 0 ? ` with the role ${roles.join(' and ')}` : ''}.`,
  PasswordSet: ({ ended }, { user, streamId }) =>
    `The password of ${user(streamId)} was set${ended === null ? '' : `; sessions and administrator tokens from before ended${ended.exceptSession === null ? '' : `, except session ${ended.exceptSession}`}`}.`,
  PasswordLinkIssued: ({ purpose, expiresAt }, { user, streamId }) =>
    `A link was made by which ${user(streamId)} chooses a password (${purpose}), until ${timeOf(expiresAt)}.`,
  AccountDisabled: (_, { user, streamId }) =>
    `The account of ${user(streamId)} was disabled: every grant of the user's own records ended.`,
  AccountEnabled: (_, { user, streamId }) =>
    `The account of ${user(streamId)} was enabled again; what was ended stays ended.`,
  SignInBlocked: ({ failures, until }, { user, streamId }) =>
    `After ${failures} wrong passwords, sign-ins of ${user(streamId)} had to wait until ${timeOf(until)}.`,
  SessionsEnded: ({ exceptSession }, { user, streamId }) =>
    `Every session of ${user(streamId)} was ended${exceptSession === null ? '' : `, except session ${exceptSession}`}.`,
  SignInUnblocked: (_, { user, streamId }) => `The failed sign-ins of ${user(streamId)} were cleared.`,
  AccountErased: (_, { user, streamId }) =>
    `${user(streamId)} was erased: the key of the person's data in the log was deleted.`,
  EmailReleased: ({ userId }, { user }) => `The e-mail address of ${user(userId)} was released.`,
  EmailClaimed: ({ userId }, { user }) => `An e-mail address was claimed for ${user(userId)}.`,
  AccountRenamed: (_, { user, streamId }) => `The name of ${user(streamId)} was changed.`,
  AccountEmailChanged: ({ emailVouchedBy }, { user, streamId }) =>
    emailVouchedBy === 'nobody'
      ? `The e-mail address of ${user(streamId)} was changed to one that is not verified.`
      : `The e-mail address of ${user(streamId)} was changed.`,
  RoleGranted: ({ role, source }, { user, streamId }) =>
    `${user(streamId)} got the role ${role}${bySource[source]}.`,
  RoleRemoved: ({ role, source }, { user, streamId }) =>
    `${user(streamId)} no longer has the role ${role}${bySource[source]}.`,
  IdentityLinked: ({ provider }, { user, streamId }) =>
    `An identity of the provider "${markName(provider)}" was linked to the account of ${user(streamId)}.`,
  IdentityUnlinked: ({ provider }, { user, streamId }) =>
    `An identity of the provider "${markName(provider)}" no longer opens the account of ${user(streamId)}; every session of the user ended.`,
  PasskeyAdded: ({ passkeyId }, { user, streamId }) => `${user(streamId)} added the passkey ${passkeyId}.`,
  PasskeyRenamed: ({ passkeyId }, { user, streamId }) =>
    `The passkey ${passkeyId} of ${user(streamId)} got another name.`,
  PasskeyRemoved: ({ passkeyId, exceptSession }, { user, streamId }) =>
    `The passkey ${passkeyId} of ${user(streamId)} was removed; sessions that began with it ended${exceptSession === null ? '' : `, except session ${exceptSession}`}.`,
  OrganizationsMapped: ({ organizationIds, signedOut }, { user, organization, streamId }) => {
    if (signedOut)
      return `${user(streamId)} signed out at the provider: administrator tokens have no right by its claims until the next sign-in.`;
    return organizationIds.length === 0
      ? `The provider's claim names no organization that ${user(streamId)} administers.`
      : `The provider's claim names the organizations that ${user(streamId)} administers: ${organizationIds.map(organization).join(', ')}.`;
  },
  IdentityClaimed: ({ userId }, { user }) => `An identity of a provider was claimed for ${user(userId)}.`,
  OperatorRemovalAllowed: ({ userId, remaining }, { user }) =>
    `${user(userId)} may stop being an operator, because ${user(remaining)} remains one.`,
  IdentityReleased: ({ userId }, { user }) => `The identity of a provider of ${user(userId)} was released.`,
  AdministratorTokenIssued: ({ tokenId, organizationId, expiresAt }, { user, organization, streamId }) =>
    `${user(streamId)} got the administrator token ${tokenId} for ${organizationId === null ? 'all organizations of the user' : organization(organizationId)}, until ${timeOf(expiresAt)}.`,
  AdministratorTokenRevoked: ({ tokenId }, { user, streamId }) =>
    `The administrator token ${tokenId} of ${user(streamId)} was revoked.`,
  OrganizationCreated: ({ name }, { organization, streamId }) =>
    `${organization(streamId)} was created as "${markName(name)}".`,
  AdministratorAdded: ({ userId, source }, { user, organization, streamId }) =>
    `${user(userId)} became an administrator of ${organization(streamId)}${bySource[source ?? 'manual']}.`,
  AdministratorRemoved: ({ userId, source }, { user, organization, streamId }) =>
    `${user(userId)} is no longer an administrator of ${organization(streamId)}${bySource[source ?? 'manual']}.`,
  AuditorAdded: ({ userId }, { user, organization, streamId }) =>
    `${user(userId)} may read the audit log of ${organization(streamId)}.`,
  AuditorRemoved: ({ userId }, { user, organization, streamId }) =>
    `${user(userId)} may no longer read the audit log of ${organization(streamId)}.`,
  OrganizationRenamed: ({ name }, { organization, streamId }) =>
    `${organization(streamId)} was renamed to "${markName(name)}".`,
  OrganizationExternalIdSet: ({ externalId }, { organization, streamId }) =>
    externalId === ''
      ? `The external id of ${organization(streamId)} was removed: it is another organization's.`
      : `The external id of ${organization(streamId)} was set to "${markName(externalId)}".`,
  OrganizationClosed: (_, { organization, streamId }) =>
    `${organization(streamId)} was closed: no add-on can be activated for it any more.`,
  ExternalIdClaimed: ({ organizationId }, { organization }) =>
    `An external id was claimed for ${organization(organizationId)}.`,
  ExternalIdReleased: ({ organizationId }, { organization }) =>
    `An earlier external id of ${organization(organizationId)} was released.`,
  AuditQueried: ({ query, organizationId, parameters }, { organization }) =>
    `The audit log${organizationId === null ? '' : ` of ${organization(organizationId)}`} was queried: ${[query, ...parameters.map(({ name, value }) => `${name} ${value}`)].join(', ')}.`,
  AddonActivated: ({ organizationId, addonId, epoch }, { organization, addon }) =>
    `${addon(addonId)} was activated for ${organization(organizationId)} (epoch ${epoch}).`,
  AddonDeactivated: ({ organizationId, addonId, epoch }, { organization, addon }) =>
    `${addon(addonId)} was deactivated for ${organization(organizationId)}: everything granted in epoch ${epoch} ended.`,
  RevocationCompleted: ({ epoch, grants }, telling) => {
    const { addon, organization } = ofActivation(telling);
    return `All grants of epoch ${epoch} of ${addon} for ${organization} were recorded as ended: ${grants}.`;
  },
  AuthorizationRefused: ({ userId }, telling) => {
    const { addon, organization } = ofActivation(telling);
    return `${telling.user(userId)} was sent back to ${addon} without access to ${organization}.`;
  },
  ScopesApproved: ({ userId, addonId, scopes }, telling) =>
    `${telling.user(userId)} allowed ${telling.addon(addonId)} ${listOf(scopes)} on ${whose(splitId(telling.streamId)[0], userId, telling)}.`,
  AudienceApproved: ({ userId, addonId, audience, scopes }, telling) =>
    `${telling.user(userId)} allowed ${telling.addon(addonId)} ${listOf(scopes)} at "${audience}" on ${whose(splitId(telling.streamId)[0], userId, telling)}.`,
  ConsentWithdrawn: ({ userId, addonId }, telling) =>
    `${telling.user(userId)} withdrew what ${telling.addon(addonId)} was allowed on ${whose(splitId(telling.streamId)[0], userId, telling)}.`,
  AuthorizationCodeIssued: ({ grantId, addonId, userId, subject, scopes }, telling) =>
    `A code for ${listOf(scopes)} on ${whose(subject.kind === 'organization' ? subject.organizationId : userId, userId, telling)} was issued to ${telling.addon(addonId)}: grant ${grantId}, approved by ${telling.user(userId)}.`,
  AuthorizationCodeRedeemed: ({ accessExpiresAt }, telling) => {
    const { addon, grant } = ofGrant(telling);
    return `${addon} exchanged the code of ${grant} for its first tokens; the access token lasts until ${timeOf(accessExpiresAt)}.`;
  },
  CodeExchangeRejected: ({ reason }, telling) =>
    `A try to exchange the code of ${ofGrant(telling).grant} was refused: ${because(reason)}.`,
  AuthorizationCodeReplayed: (_, telling) =>
    `The code of ${ofGrant(telling).grant} was used again after its exchange.`,
  TokensRefreshed: ({ rotation, scopes, accessExpiresAt }, telling) => {
    const { addon, grant } = ofGrant(telling);
    return `${addon} got new tokens of ${grant} (rotation ${rotation}) for ${listOf(scopes)}; the access token lasts until ${timeOf(accessExpiresAt)}.`;
  },
  TokensWithheld: ({ rotation }, telling) =>
    `Tokens of ${ofGrant(telling).grant} (rotation ${rotation}) were withheld.`,
  RefreshRejected: ({ rotation, reason }, telling) =>
    `The refresh token of ${ofGrant(telling).grant} (rotation ${rotation}) was refused: ${because(reason)}.`,
  RefreshTokenReused: ({ rotation }, telling) =>
    `A refresh token of ${ofGrant(telling).grant} that was already used (rotation ${rotation}) was presented again.`,
  AccessTokenRevoked: ({ rotation }, telling) => {
    const { addon, grant } = ofGrant(telling);
    return `${addon} revoked the access token of rotation ${rotation} of ${grant}; the grant stays valid.`;
  },
  GrantRevoked: (_, telling) => {
    const { addon, grant } = ofGrant(telling);
    return `The ${grant} of ${addon} ended, with every token under it.`;
  },
  SessionStarted: ({ sessionId, userId, expiresAt, upstream, passkey }, { user }) =>
    `${user(userId)} signed in${upstream ? ` with the provider ${upstream.provider}` : ''}${passkey ? ` with the passkey ${passkey.passkeyId}` : ''}: session ${sessionId}, until ${timeOf(expiresAt)} at the longest.`,
  ActivationHandedOff: ({ organizationId, addonId }, telling) => {
    const { user, session } = ofSession(telling);
    return `${user}, having activated ${telling.addon(addonId)} for ${telling.organization(organizationId)}, was sent on to it (${session}).`;
  },
  SessionEnded: (_, telling) => {
    const { user, session } = ofSession(telling);
    return `${user} signed out: ${session}.`;
  },
  ...eachRecordEvent(describeChange),
  ProjectionSwapped: ({ projection, version, previousVersion }) =>
    `The read model ${projection} now uses version ${version} instead of ${previousVersion}.`,
  ParkedEventSkipped: ({ projection, key, eventId }) =>
    projection === 'commands'
      ? `Decisions now skip the event ${eventId} of ${key}, which cannot be decoded.`
      : `The read model ${projection} skips the event ${eventId} of ${key}, which it could not apply.`,
  LogHeadSigned: ({ size }) => `A head of the log was signed, over its first ${size} events.`,
  StreamsRemoved: ({ category, streams }) =>
    `Documented retention removed ${streams.length} ${streams.length === 1 ? 'stream' : 'streams'} of the category ${category}.`,
  LogCopied: ({ events, head }) =>
    `The log was copied from another one: ${events} events, of which the head over its first ${head.size} was signed there.`,
  SignalStreamCreated: ({ streamId, addonId, method, endpointUrl }, { addon }) =>
    `${addon(addonId)} is told what happens to its access by the signal stream ${streamId}, ${deliveryIn(method, endpointUrl)}.`,
  SignalStreamChanged: ({ streamId, method, endpointUrl }, { addon, streamId: addonId }) =>
    `The signal stream ${streamId} of ${addon(addonId)} was changed; it is delivered ${deliveryIn(method, endpointUrl)}.`,
  SignalStreamStatusChanged: ({ streamId, status, reason, by }, { addon, streamId: addonId }) =>
    `The signal stream ${streamId} of ${addon(addonId)} is ${status}, as ${by === 'receiver' ? 'the add-on asked' : 'Grantbook or an operator decided'}${reason === null ? '' : `: ${markName(reason)}`}.`,
  SignalStreamReplayed: ({ streamId, after }, { addon, streamId: addonId }) =>
    `What the signal stream ${streamId} of ${addon(addonId)} told after ${after} is offered again.`,
  SignalStreamDeleted: ({ streamId }, { addon, streamId: addonId }) =>
    `The signal stream ${streamId} of ${addon(addonId)} was deleted.`,
  SigningKeyMade: ({ kid, alg, currentFrom }) =>
    `The ${alg} key ${kid} was made, which signs from ${timeOf(currentFrom)}.`,
  SigningKeyPublished: ({ kid }) => `The signing key ${kid} was published.`,
  SigningKeyRetired: ({ kid, publishedUntil, reason }) =>
    reason === 'missing'
      ? `The signing key ${kid} was found missing: somebody had deleted it from the database.`
      : `The signing key ${kid} was retired; it stays published until ${timeOf(publishedUntil)}.`,
};

/** The event in one sentence. */
export const describeEvent = (event: EventOf<EventType>, telling: DescriptionContext): Sentence =>
  sentenceOf(
    (eventDescriptions[event.type] as (data: unknown, telling: DescriptionContext) => string)(
      event.data,
      telling,
    ),
  );
