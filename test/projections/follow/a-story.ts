import { usualRegistration } from '../../../src/domain/addons/addon.ts';
import type { Scope } from '../../../src/domain/access/scope.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import type { GrantRevocationReason, GrantSubject } from '../../../src/domain/access/grant.ts';
import type { EventStore } from '../../../src/eventstore/event-store.ts';
import type { StreamName } from '../../../src/domain/streams.ts';
import type { ScriptedLog } from '../../support/log/test-projector.ts';
import { eachWebAddress } from '../../../src/domain/addons/web-addresses.ts';

/** Builders for the dull parts; times are counted from the start of 2026, for what matters is the order. */
let clock = Date.UTC(2026, 0, 1);
const at = () => ++clock;

/** An event of a story, at a time of its own. */
export const told = <S extends StreamName, T extends DomainEvent['type']>(
  stream: S,
  type: T,
  data: Omit<EventOf<T>['data'], 'at'>,
) => ({ stream, event: { type, data: { ...data, at: at() } } as unknown as EventOf<T> });

type EventOf<T extends DomainEvent['type']> = Extract<DomainEvent, { readonly type: T }>;

export const profile = (id: string, version = 1, userId: string | null = null, organizationId = 'O1') =>
  told(`profile-${organizationId}.${id}`, 'ProfileRecorded', {
    organizationId,
    id,
    version,
    name: `Name ${id} v${version}`,
    email: `${id}@example.org`,
    userId,
    phone: null,
    locale: null,
    externalId: null,
  });

export const profileRemoved = (id: string, version = 2, organizationId = 'O1') =>
  told(`profile-${organizationId}.${id}`, 'ProfileRemoved', { organizationId, id, version });

export const reservation = (id: string, profileId: string, version = 1, organizationId = 'O1') =>
  told(`reservation-${organizationId}.${id}`, 'ReservationRecorded', {
    organizationId,
    id,
    version,
    profileId,
    resource: 'court 1',
    startsAt: '2026-05-01T08:00:00Z',
    endsAt: '2026-05-01T09:00:00Z',
    status: 'confirmed',
    title: null,
    note: null,
  });

export const reservationRemoved = (id: string, version = 2, organizationId = 'O1') =>
  told(`reservation-${organizationId}.${id}`, 'ReservationRemoved', { organizationId, id, version });

export const accessRight = (id: string, profileId: string, version = 1, organizationId = 'O1') =>
  told(`accessRight-${organizationId}.${id}`, 'AccessRightRecorded', {
    organizationId,
    id,
    version,
    profileId,
    opens: 'north door',
    validFrom: '2026-05-01T00:00:00Z',
    validUntil: null,
    status: 'active',
    reservationId: null,
  });

export const accessRightRemoved = (id: string, version = 2, organizationId = 'O1') =>
  told(`accessRight-${organizationId}.${id}`, 'AccessRightRemoved', { organizationId, id, version });

export const activated = (epoch: number, organizationId = 'O1', addonId = 'A1') =>
  told(`activation-${organizationId}.${addonId}`, 'AddonActivated', {
    organizationId,
    addonId,
    epoch,
    by: 'U1',
  });

export const deactivated = (epoch: number, organizationId = 'O1', addonId = 'A1') =>
  told(`activation-${organizationId}.${addonId}`, 'AddonDeactivated', {
    organizationId,
    addonId,
    epoch,
    by: 'U2',
  });

export const revocationCompleted = (epoch: number, grants: number) =>
  told('activation-O1.A1', 'RevocationCompleted', { epoch, grants });

export const addon = (addonId: string, name = `Add-on ${addonId}`) =>
  told(`addon-${addonId}`, 'AddonRegistered', {
    addonId,
    name,
    redirectUris: ['https://addon.example/back'],
    configurationUrl: 'https://addon.example/setup',
    allowedScopes: ['profiles:read'],
    confidential: false,
    ...usualRegistration,
  });

export const organization = (organizationId: string, name = `Organization ${organizationId}`) =>
  told(`organization-${organizationId}`, 'OrganizationCreated', { organizationId, name });

export const administrator = (organizationId: string, userId: string, added = true) =>
  told(`organization-${organizationId}`, added ? 'AdministratorAdded' : 'AdministratorRemoved', {
    userId,
    source: null,
  });

export const auditor = (organizationId: string, userId: string, added = true) =>
  told(`organization-${organizationId}`, added ? 'AuditorAdded' : 'AuditorRemoved', { userId });

export const account = (userId: string) =>
  told(`account-${userId}`, 'AccountCreated', {
    emailVouchedBy: 'operator',
    userId,
    email: `${userId}@example.org`,
    name: userId,
    roles: ['auditor'],
  });

export const ofOrganization = (epoch = 1, organizationId = 'O1'): GrantSubject => ({
  kind: 'organization',
  organizationId,
  epoch,
});

export const issued = (grantId: string, subject: GrantSubject = ofOrganization(), addonId = 'A1') =>
  told(`grant-${grantId}`, 'AuthorizationCodeIssued', {
    grantId,
    addonId,
    userId: 'U1',
    subject,
    scopes: ['profiles:read'],
    redirectUri: 'https://addon.example/back',
    codeChallenge: 'challenge',
    nonce: null,
    resources: [],
    authTime: 1,
    authentication: null,
    keyId: 'K1',
    salt: 'salt',
    expiresAt: 60,
  });

export const redeemed = (grantId: string) =>
  told(`grant-${grantId}`, 'AuthorizationCodeRedeemed', {
    keyId: 'K1',
    salt: 'salt',
    accessExpiresAt: 1,
    refreshIdleExpiresAt: 2,
    refreshAbsoluteExpiresAt: 3,
    resources: null,
  });

export const refreshed = (grantId: string, rotation: number) =>
  told(`grant-${grantId}`, 'TokensRefreshed', {
    rotation,
    keyId: 'K1',
    salt: 'salt',
    scopes: [],
    accessExpiresAt: 1,
    refreshIdleExpiresAt: 2,
    graceUntil: 3,
    resources: null,
    counts: { rejections: 0, hour: { began: 1, rotations: rotation } },
  });

export const revoked = (grantId: string, reason: GrantRevocationReason = 'revoked-by-addon') =>
  told(`grant-${grantId}`, 'GrantRevoked', { reason });

export const approved = (subjectId: string, userId: string, scopes: readonly Scope[], epoch: number) =>
  told(`consent-${subjectId}.A1`, 'ScopesApproved', { userId, addonId: 'A1', scopes, epoch, choice: null });

export const withdrawn = (subjectId: string, userId: string, epoch = 1) =>
  told(`consent-${subjectId}.A1`, 'ConsentWithdrawn', { userId, addonId: 'A1', epoch });

export const session = (sessionId: string) => [
  told(`session-${sessionId}`, 'SessionStarted', {
    sessionId,
    userId: 'U1',
    keyId: 'K1',
    salt: 'salt',
    expiresAt: 2,
    device: null,
    network: null,
    upstream: null,
    passkey: null,
  }),
  told(`session-${sessionId}`, 'SessionEnded', {}),
];

export const plain = (stream: `addon-${string}`, type: 'AddonSuspended' | 'AddonResumed') =>
  told(stream, type, {});

export const switched = (userId: string, type: 'AccountDisabled' | 'AccountEnabled', epoch = 1) =>
  told(`account-${userId}`, type, { epoch });

export type Told = { readonly stream: Parameters<ScriptedLog['add']>[0]; readonly event: DomainEvent };

export const tell = (log: ScriptedLog, ...story: readonly Told[]) =>
  story.map(({ stream, event }) => log.add(stream, event));

/** The same in a log in memory. */
export const tellStore = async (store: Pick<EventStore, 'read' | 'append'>, ...story: readonly Told[]) => {
  for (const { stream, event } of story)
    await store.append(stream, (await store.read(stream)).revision, [{ event }]);
};

/** Something of everything, with changes, removals and a second life. */
export const wholeStory = (): readonly Told[] => [
  organization('O1'),
  organization('O2'),
  account('U1'),
  administrator('O1', 'U1'),
  administrator('O1', 'U2'),
  administrator('O2', 'U1'),
  auditor('O1', 'U2'),
  auditor('O2', 'U2'),
  auditor('O1', 'U1'),
  addon('A1'),
  addon('A2'),
  activated(1),
  approved('O1', 'U1', ['profiles:read'], 1),
  issued('G1'),
  redeemed('G1'),
  profile('P1', 1, 'U1'),
  profile('P2'),
  reservation('R1', 'P1'),
  reservation('R2', 'P2'),
  accessRight('X1', 'P1'),
  refreshed('G1', 1),
  profile('P2', 2, 'U2'),
  issued('G2', { kind: 'user', userId: 'U1', epoch: 0 }),
  redeemed('G2'),
  approved('O1', 'U1', ['reservations:read'], 1),
  approved('U1', 'U1', ['profiles:read'], 0),
  profileRemoved('P1', 2),
  profile('P1', 3, 'U2'),
  profile('P1', 1, 'U1', 'O2'),
  plain('addon-A2', 'AddonSuspended'),
  switched('U1', 'AccountDisabled'),
  administrator('O1', 'U2', false),
  auditor('O1', 'U1', false),
  deactivated(1),
  revoked('G1'),
  activated(2),
  revocationCompleted(1, 1),
  approved('O1', 'U1', ['reservations:read'], 2),
  withdrawn('U1', 'U1'),
  plain('addon-A2', 'AddonResumed'),
  switched('U1', 'AccountEnabled'),
  reservation('R1', 'P2', 2),
  profileRemoved('P2', 3),
];

/** A publisher with a member and an add-on, of which a change waits. */
export const publisherStory = (): readonly { readonly stream: StreamName; readonly event: DomainEvent }[] => {
  const nothing = {
    addRedirectUris: [],
    removeRedirectUris: [],
    configurationUrl: null,
    addPostLogoutRedirectUris: [],
    removePostLogoutRedirectUris: [],
    ...eachWebAddress(() => null),
    website: 'https://a1.example/',
  };
  const asked = (changeId: string) =>
    told('addon-A1', 'AddonChangeRequested', { changeId, by: 'U1', ...nothing });
  const member = (userId: string) => ({ userId, source: 'manual' as const });
  return [
    told('publisher-B1', 'PublisherCreated', { publisherId: 'B1', name: 'Doors' }),
    told('publisher-B1', 'PublisherMemberAdded', member('U1')),
    told('publisher-B1', 'PublisherMemberAdded', member('U2')),
    told('publisher-B1', 'PublisherMemberRemoved', member('U2')),
    told('publisher-B1', 'PublisherRenamed', { name: 'Gates' }),
    told('addon-A1', 'AddonPublisherSet', { publisherId: 'B1' }),
    asked('C1'),
    asked('C2'),
    told('addon-A1', 'AddonChangeWithdrawn', { changeId: 'C1' }),
    told('organization-O1', 'OrganizationShownToPublishers', { shown: false }),
  ];
};
