import type { EventOf, EventType } from '../../domain/events.ts';
import { idOf } from '../../domain/kernel/stream-name.ts';
import { eachRecordEvent } from '../../domain/records/each-record.ts';
import { streamTypes } from '../set-types.ts';
import {
  audienceChanged,
  resumed,
  retired,
  secretAdded,
  secretRemoved,
  suspended,
  updated,
} from './addons.ts';
import { approved, withdrawn } from './approvals.ts';
import { accessTokenRevoked, grantRevoked } from './grants.ts';
import {
  type HasTime,
  type Tell,
  activationSubject,
  own,
  type Telling,
  type Told,
  opaqueSubject,
} from './told.ts';
import { disabled, enabled, erased } from './users.ts';

/** SSF 1.0 §8.1.5: what the receiver did itself it knows. It is held until the stream may deliver again. */
const statusChanged = (
  { streamId, status, reason, by }: EventOf<'SignalStreamStatusChanged'>['data'],
  { recorded }: Telling,
): readonly Told[] =>
  by === 'receiver'
    ? []
    : [
        {
          addonId: idOf(recorded.stream),
          queue: 'stream',
          type: streamTypes.streamUpdated,
          subId: opaqueSubject(streamId),
          payload: { status, ...(reason !== null && { reason }) },
        },
      ];

type Switched = EventOf<'AddonActivated' | 'AddonDeactivated'>['data'];

const switched =
  (name: 'addon-activated' | 'addon-deactivated', reason: string) =>
  ({ organizationId, addonId, epoch, at }: Switched, telling: Telling): readonly Told[] => [
    {
      addonId,
      queue: `organization:${organizationId}`,
      subId: activationSubject(organizationId, addonId),
      ...own(name, telling, at, { organization_id: organizationId, epoch, reason }),
    },
  ];

const activated = switched('addon-activated', 'The add-on was activated for the organization.');
const deactivated = switched('addon-deactivated', 'The add-on was deactivated for the organization.');

/** Its add-on has no stream yet. */
const beforeAnyStream = null;
/** How people sign in, and what they may do here, is no business of an add-on. */
const person = null;
/** What the add-on did itself, or was answered. */
const knownToAddon = null;
/** The streams themselves: the worker keeps them, and tells of a status that the add-on did not set (SSF 1.0 §8.1.5). */
const stream = null;
/** About us, not about anything that an add-on has. */
const ourOwn = null;
/** Told by the deactivations, or of no consequence for an add-on. */
const organization = null;

/** What each event says to add-ons; null for nothing. A new event type does not compile without an entry (SG-05). */
export const toldByType: {
  readonly [T in EventType]: (EventOf<T>['data'] extends HasTime ? Tell<T> : never) | null;
} = {
  AddonRegistered: beforeAnyStream,
  AddonSecretAdded: secretAdded,
  AddonSecretRemoved: secretRemoved,
  AddonAudienceAllowed: audienceChanged,
  AddonAudienceDisallowed: audienceChanged,
  AddonSuspended: suspended,
  AddonResumed: resumed,
  AddonUpdated: updated,
  AddonRetired: retired,
  AddonTokenIssued: knownToAddon,
  AddonTokenRevoked: knownToAddon,
  AccountCreated: person,
  PasswordSet: person,
  PasswordLinkIssued: person,
  AccountDisabled: disabled,
  AccountEnabled: enabled,
  AccountErased: erased,
  SessionsEnded: person,
  SignInBlocked: person,
  SignInUnblocked: person,
  EmailClaimed: person,
  EmailReleased: person,
  AccountRenamed: person,
  AccountEmailChanged: person,
  RoleGranted: person,
  RoleRemoved: person,
  OperatorRemovalAllowed: person,
  IdentityLinked: person,
  IdentityUnlinked: person,
  PasskeyAdded: person,
  PasskeyRenamed: person,
  PasskeyRemoved: person,
  OrganizationsMapped: person,
  IdentityClaimed: person,
  IdentityReleased: person,
  AdministratorTokenIssued: person,
  AdministratorTokenRevoked: person,
  SessionStarted: person,
  SessionEnded: person,
  ActivationHandedOff: person,
  OrganizationCreated: organization,
  AdministratorAdded: organization,
  AdministratorRemoved: organization,
  AuditorAdded: organization,
  AuditorRemoved: organization,
  OrganizationRenamed: organization,
  OrganizationExternalIdSet: organization,
  ExternalIdClaimed: organization,
  ExternalIdReleased: organization,
  OrganizationClosed: organization,
  AddonActivated: activated,
  AddonDeactivated: deactivated,
  RevocationCompleted: ourOwn,
  AuthorizationRefused: knownToAddon,
  ScopesApproved: approved,
  AudienceApproved: approved,
  ConsentWithdrawn: withdrawn,
  AuthorizationCodeIssued: knownToAddon,
  AuthorizationCodeRedeemed: knownToAddon,
  CodeExchangeRejected: knownToAddon,
  AuthorizationCodeReplayed: knownToAddon, // a GrantRevoked follows
  TokensRefreshed: knownToAddon,
  TokensWithheld: knownToAddon,
  RefreshRejected: knownToAddon,
  RefreshTokenReused: knownToAddon, // a GrantRevoked follows
  AccessTokenRevoked: accessTokenRevoked,
  GrantRevoked: grantRevoked,
  ...eachRecordEvent(() => null),
  AuditQueried: ourOwn,
  ProjectionSwapped: ourOwn,
  ParkedEventSkipped: ourOwn,
  LogHeadSigned: ourOwn,
  LogCopied: ourOwn,
  StreamsRemoved: ourOwn,
  SignalStreamCreated: stream,
  SignalStreamChanged: stream,
  SignalStreamStatusChanged: statusChanged,
  SignalStreamReplayed: stream,
  SignalStreamDeleted: stream,
  SigningKeyMade: ourOwn,
  SigningKeyPublished: ourOwn,
  SigningKeyRetired: ourOwn,
};

/** The event types that say anything to add-ons. */
export const tellingTypes = (Object.keys(toldByType) as EventType[]).filter(
  (type) => toldByType[type] !== null,
);
