import { isUserId } from './kernel/actor.ts';
import type { EventOf, EventType } from './events.ts';
import { categoryOf, idOf, isOfCategory, splitId } from './kernel/stream-name.ts';
import { eachRecordEvent } from './records/each-record.ts';

/** The subjects that have a timeline. */
export const aboutKinds = ['organization', 'addon', 'user', 'grant'] as const;
export type AboutKind = (typeof aboutKinds)[number];
export type About = { readonly kind: AboutKind; readonly id: string };

/** The subjects of a grant's or a session's stream. Only its first event names them. */
export type Owner = {
  readonly organizationId: string | null;
  readonly addonId: string | null;
  readonly userId: string | null;
};

/** What the event's data do not contain. */
export type Place = {
  /** The part of the stream's name after the first dash. */
  readonly streamId: string;
  /** Null where it is not known. */
  readonly owner: Owner | null;
};

type Concerns<T extends EventType> = (data: EventOf<T>['data'], place: Place) => readonly About[];

export const organization = (id: string): About => ({ kind: 'organization', id });
export const addon = (id: string): About => ({ kind: 'addon', id });
export const user = (id: string): About => ({ kind: 'user', id });

const thisAddon = (_data: unknown, { streamId }: Place) => [addon(streamId)];
const thisUser = (_data: unknown, { streamId }: Place) => [user(streamId)];
const thisOrganization = (_data: unknown, { streamId }: Place) => [organization(streamId)];
const person = ({ userId }: { readonly userId: string }, { streamId }: Place) => [
  organization(streamId),
  user(userId),
];

const owned = ({ owner }: Place): readonly About[] => [
  ...(owner?.organizationId ? [organization(owner.organizationId)] : []),
  ...(owner?.addonId ? [addon(owner.addonId)] : []),
  ...(owner?.userId ? [user(owner.userId)] : []),
];
const thisGrant = (_data: unknown, place: Place): readonly About[] => [
  { kind: 'grant', id: place.streamId },
  ...owned(place),
];
const thisSession = (_data: unknown, place: Place) => owned(place);

const thisActivation = (_data: unknown, place: Place) => {
  const [organizationId, addonId] = splitId(place.streamId);
  return [organization(organizationId), addon(addonId)];
};
/** `by` is a user, or the actor on the command line. */
const switched = ({ by }: { readonly by: string }, place: Place) => [
  ...thisActivation(null, place),
  ...(isUserId(by) ? [user(by)] : []),
];
const approval = (
  { userId, addonId }: { readonly userId: string; readonly addonId: string },
  place: Place,
) => {
  const [subjectId] = splitId(place.streamId);
  return [...(subjectId === userId ? [] : [organization(subjectId)]), addon(addonId), user(userId)];
};

/** Who asked, and what the query was about. */
const question = ({ organizationId, parameters }: EventOf<'AuditQueried'>['data'], { streamId }: Place) => {
  const asked = parameters.flatMap(({ name, value }): readonly About[] => {
    const kind = aboutKinds.find((known) => known === name);
    return kind === undefined || value === organizationId || value === streamId ? [] : [{ kind, id: value }];
  });
  return [
    ...(organizationId === null ? [] : [organization(organizationId)]),
    ...(isUserId(streamId) ? [user(streamId)] : []),
    ...asked,
  ];
};

/** Records are found by the names of their streams. There are too many to index each one. */
const byItsName = null;

/** A program takes such a token each hour, which would hide what people did with the add-on. */
const takenByProgram = null;

/** The subjects of an event, by its type; null where no timeline contains it. */
export const subjectsByType: { readonly [T in EventType]: Concerns<T> | null } = {
  AddonRegistered: thisAddon,
  AddonSecretAdded: thisAddon,
  AddonSecretRemoved: thisAddon,
  AddonAudienceAllowed: thisAddon,
  AddonAudienceDisallowed: thisAddon,
  AddonSuspended: thisAddon,
  AddonResumed: thisAddon,
  AddonUpdated: thisAddon,
  AddonRetired: thisAddon,
  AddonTokenIssued: takenByProgram,
  AddonTokenRevoked: takenByProgram,
  AccountCreated: thisUser,
  PasswordSet: thisUser,
  PasswordLinkIssued: thisUser,
  AccountDisabled: thisUser,
  AccountEnabled: thisUser,
  SessionsEnded: thisUser,
  AccountErased: thisUser,
  SignInBlocked: thisUser,
  SignInUnblocked: thisUser,
  EmailClaimed: ({ userId }) => [user(userId)],
  EmailReleased: ({ userId }) => [user(userId)],
  ExternalIdClaimed: ({ organizationId }) => [organization(organizationId)],
  ExternalIdReleased: ({ organizationId }) => [organization(organizationId)],
  AccountRenamed: thisUser,
  AccountEmailChanged: thisUser,
  RoleGranted: thisUser,
  RoleRemoved: thisUser,
  IdentityLinked: thisUser,
  IdentityUnlinked: thisUser,
  PasskeyAdded: thisUser,
  PasskeyRenamed: thisUser,
  PasskeyRemoved: thisUser,
  OrganizationsMapped: thisUser,
  OperatorRemovalAllowed: ({ userId, remaining }) => [user(userId), user(remaining)],
  IdentityClaimed: ({ userId }) => [user(userId)],
  IdentityReleased: ({ userId }) => [user(userId)],
  AdministratorTokenIssued: thisUser,
  AdministratorTokenRevoked: thisUser,
  OrganizationCreated: thisOrganization,
  AdministratorAdded: person,
  AdministratorRemoved: person,
  AuditorAdded: person,
  AuditorRemoved: person,
  OrganizationRenamed: thisOrganization,
  OrganizationExternalIdSet: thisOrganization,
  OrganizationClosed: thisOrganization,
  AuditQueried: question,
  AddonActivated: switched,
  AddonDeactivated: switched,
  RevocationCompleted: thisActivation,
  AuthorizationRefused: ({ userId }, place) => [...thisActivation(null, place), user(userId)],
  ScopesApproved: approval,
  AudienceApproved: approval,
  ConsentWithdrawn: approval,
  AuthorizationCodeIssued: thisGrant,
  AuthorizationCodeRedeemed: thisGrant,
  CodeExchangeRejected: thisGrant,
  AuthorizationCodeReplayed: thisGrant,
  TokensRefreshed: thisGrant,
  TokensWithheld: thisGrant,
  RefreshRejected: thisGrant,
  RefreshTokenReused: thisGrant,
  AccessTokenRevoked: thisGrant,
  GrantRevoked: thisGrant,
  SessionStarted: thisSession,
  ActivationHandedOff: ({ organizationId, addonId }, place) => [
    organization(organizationId),
    addon(addonId),
    ...owned(place),
  ],
  SessionEnded: thisSession,
  ...eachRecordEvent(() => byItsName),
  ProjectionSwapped: null,
  ParkedEventSkipped: null,
  LogHeadSigned: null,
  StreamsRemoved: null,
  LogCopied: null,
  SignalStreamCreated: thisAddon,
  SignalStreamChanged: thisAddon,
  SignalStreamStatusChanged: thisAddon,
  SignalStreamReplayed: thisAddon,
  SignalStreamDeleted: thisAddon,
  SigningKeyMade: null,
  SigningKeyPublished: null,
  SigningKeyRetired: null,
};

/** Event types that appear in timelines. */
export const typesWithSubjects = (Object.keys(subjectsByType) as EventType[]).filter(
  (type) => subjectsByType[type] !== null,
);

/** Event types whose subjects are those of the stream's first event, and no others. */
export const ownedTypes: ReadonlySet<EventType> = new Set(
  typesWithSubjects.filter((type) => {
    const concerns: unknown = subjectsByType[type];
    return concerns === thisGrant || concerns === thisSession;
  }),
);

/** Each subject once; empty for an event that no timeline contains. */
export const subjectsOf = (event: EventOf<EventType>, place: Place): readonly About[] => {
  const concerns = subjectsByType[event.type] as Concerns<EventType> | null;
  return concerns?.(event.data, place) ?? [];
};

const ofCategory: Readonly<Record<string, (data: unknown, place: Place) => readonly About[]>> = {
  addon: thisAddon,
  signalStream: thisAddon,
  account: thisUser,
  organization: thisOrganization,
  activation: thisActivation,
  grant: thisGrant,
};

/** The subjects that the name of a stream contains. */
export const subjectsOfStream = (stream: string): readonly About[] =>
  ofCategory[categoryOf(stream)]?.(null, { streamId: idOf(stream), owner: null }) ?? [];

/** The subjects that the first event of a grant or a session gives to all later ones; null for any other event. */
export const ownerIn = (event: EventOf<EventType>): Owner | null => {
  if (event.type === 'AuthorizationCodeIssued') {
    const { addonId, userId, subject } = event.data;
    const organizationId = subject.kind === 'organization' ? subject.organizationId : null;
    return { organizationId, addonId, userId };
  }
  if (event.type !== 'SessionStarted') return null;
  return { organizationId: null, addonId: null, userId: event.data.userId };
};

/** Whether the subjects of later events come from the stream's first event. */
export const hasOwner = (stream: string): boolean =>
  isOfCategory(stream, 'grant') || isOfCategory(stream, 'session');
