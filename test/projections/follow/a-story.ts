import { usualRegistration } from '../../../src/domain/addons/addon.ts';
import type { Scope } from '../../../src/domain/access/scope.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import type { GrantRevocationReason, GrantSubject } from '../../../src/domain/access/grant.ts';
import type { StreamName } from '../../../src/domain/streams.ts';
import type { ScriptedLog } from '../../support/log/test-projector.ts';

/** Builders for the dull parts; times are counted from the start of 2026, for what matters is the order. */
let clock = Date.UTC(2026, 0, 1);
const at = () => ++clock;

export const profile = (id: string, version = 1, userId: string | null = null, organizationId = 'O1') => ({
  stream: `profile-${organizationId}.${id}` as const,
  event: {
    type: 'ProfileRecorded',
    data: {
      organizationId,
      id,
      version,
      name: `Name ${id} v${version}`,
      email: `${id}@example.org`,
      userId,
      phone: null,
      locale: null,
      externalId: null,
      at: at(),
    },
  } satisfies DomainEvent,
});

export const profileRemoved = (id: string, version = 2, organizationId = 'O1') => ({
  stream: `profile-${organizationId}.${id}` as const,
  event: {
    type: 'ProfileRemoved',
    data: { organizationId, id, version, at: at() },
  } satisfies DomainEvent,
});

export const reservation = (id: string, profileId: string, version = 1, organizationId = 'O1') => ({
  stream: `reservation-${organizationId}.${id}` as const,
  event: {
    type: 'ReservationRecorded',
    data: {
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
      at: at(),
    },
  } satisfies DomainEvent,
});

export const reservationRemoved = (id: string, version = 2, organizationId = 'O1') => ({
  stream: `reservation-${organizationId}.${id}` as const,
  event: {
    type: 'ReservationRemoved',
    data: { organizationId, id, version, at: at() },
  } satisfies DomainEvent,
});

export const accessRight = (id: string, profileId: string, version = 1, organizationId = 'O1') => ({
  stream: `accessRight-${organizationId}.${id}` as const,
  event: {
    type: 'AccessRightRecorded',
    data: {
      organizationId,
      id,
      version,
      profileId,
      opens: 'north door',
      validFrom: '2026-05-01T00:00:00Z',
      validUntil: null,
      status: 'active',
      reservationId: null,
      at: at(),
    },
  } satisfies DomainEvent,
});

export const accessRightRemoved = (id: string, version = 2, organizationId = 'O1') => ({
  stream: `accessRight-${organizationId}.${id}` as const,
  event: {
    type: 'AccessRightRemoved',
    data: { organizationId, id, version, at: at() },
  } satisfies DomainEvent,
});

export const activated = (epoch: number, organizationId = 'O1', addonId = 'A1') => ({
  stream: `activation-${organizationId}.${addonId}` as const,
  event: {
    type: 'AddonActivated',
    data: { organizationId, addonId, epoch, by: 'U1', at: at() },
  } satisfies DomainEvent,
});

export const deactivated = (epoch: number, organizationId = 'O1', addonId = 'A1') => ({
  stream: `activation-${organizationId}.${addonId}` as const,
  event: {
    type: 'AddonDeactivated',
    data: { organizationId, addonId, epoch, by: 'U2', at: at() },
  } satisfies DomainEvent,
});

export const revocationCompleted = (epoch: number, grants: number) => ({
  stream: 'activation-O1.A1' as const,
  event: { type: 'RevocationCompleted', data: { epoch, grants, at: at() } } satisfies DomainEvent,
});

export const addon = (addonId: string, name = `Add-on ${addonId}`) => ({
  stream: `addon-${addonId}` as const,
  event: {
    type: 'AddonRegistered',
    data: {
      addonId,
      name,
      redirectUris: ['https://addon.example/back'],
      configurationUrl: 'https://addon.example/setup',
      allowedScopes: ['profiles:read'],
      confidential: false,
      ...usualRegistration,
      at: at(),
    },
  } satisfies DomainEvent,
});

export const organization = (organizationId: string, name = `Organization ${organizationId}`) => ({
  stream: `organization-${organizationId}` as const,
  event: { type: 'OrganizationCreated', data: { organizationId, name, at: at() } } satisfies DomainEvent,
});

export const administrator = (organizationId: string, userId: string, added = true) => ({
  stream: `organization-${organizationId}` as const,
  event: {
    type: added ? 'AdministratorAdded' : 'AdministratorRemoved',
    data: { userId, source: null, at: at() },
  } satisfies DomainEvent,
});

export const auditor = (organizationId: string, userId: string, added = true) => ({
  stream: `organization-${organizationId}` as const,
  event: {
    type: added ? 'AuditorAdded' : 'AuditorRemoved',
    data: { userId, at: at() },
  } satisfies DomainEvent,
});

export const account = (userId: string) => ({
  stream: `account-${userId}` as const,
  event: {
    type: 'AccountCreated',
    data: {
      emailVouchedBy: 'operator',
      userId,
      email: `${userId}@example.org`,
      name: userId,
      roles: ['auditor'],
      at: at(),
    },
  } satisfies DomainEvent,
});

export const ofOrganization = (epoch = 1, organizationId = 'O1'): GrantSubject => ({
  kind: 'organization',
  organizationId,
  epoch,
});

export const issued = (grantId: string, subject: GrantSubject = ofOrganization(), addonId = 'A1') => ({
  stream: `grant-${grantId}` as const,
  event: {
    type: 'AuthorizationCodeIssued',
    data: {
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
      exact: true,
      authentication: null,
      keyId: 'K1',
      salt: 'salt',
      at: at(),
      expiresAt: 60,
    },
  } satisfies DomainEvent,
});

export const redeemed = (grantId: string) => ({
  stream: `grant-${grantId}` as const,
  event: {
    type: 'AuthorizationCodeRedeemed',
    data: {
      keyId: 'K1',
      salt: 'salt',
      at: at(),
      accessExpiresAt: 1,
      refreshIdleExpiresAt: 2,
      refreshAbsoluteExpiresAt: 3,
      resources: null,
    },
  } satisfies DomainEvent,
});

export const refreshed = (grantId: string, rotation: number) => ({
  stream: `grant-${grantId}` as const,
  event: {
    type: 'TokensRefreshed',
    data: {
      rotation,
      keyId: 'K1',
      salt: 'salt',
      scopes: [],
      at: at(),
      accessExpiresAt: 1,
      refreshIdleExpiresAt: 2,
      graceUntil: 3,
      resources: null,
      counts: null,
    },
  } satisfies DomainEvent,
});

export const revoked = (grantId: string, reason: GrantRevocationReason = 'revoked-by-addon') => ({
  stream: `grant-${grantId}` as const,
  event: {
    type: 'GrantRevoked',
    data: { reason, at: at() },
  } satisfies DomainEvent,
});

export const approved = (subjectId: string, userId: string, scopes: readonly Scope[], epoch: number) => ({
  stream: `consent-${subjectId}.A1` as const,
  event: {
    type: 'ScopesApproved',
    data: { userId, addonId: 'A1', scopes, epoch, choice: null, at: at() },
  } satisfies DomainEvent,
});

export const withdrawn = (subjectId: string, userId: string, epoch = 1) => ({
  stream: `consent-${subjectId}.A1` as const,
  event: {
    type: 'ConsentWithdrawn',
    data: { userId, addonId: 'A1', epoch, at: at() },
  } satisfies DomainEvent,
});

export const plain = <T extends 'AddonSuspended' | 'AddonResumed'>(stream: `addon-${string}`, type: T) => ({
  stream,
  event: { type, data: { at: at() } } satisfies DomainEvent,
});

export const switched = (userId: string, type: 'AccountDisabled' | 'AccountEnabled', epoch = 1) => ({
  stream: `account-${userId}` as const,
  event: { type, data: { epoch, at: at() } } satisfies DomainEvent,
});

export type Told = { readonly stream: Parameters<ScriptedLog['add']>[0]; readonly event: DomainEvent };

export const tell = (log: ScriptedLog, ...story: readonly Told[]) =>
  story.map(({ stream, event }) => log.add(stream, event));

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
    website: 'https://a1.example/',
    privacyUrl: null,
    supportUrl: null,
  };
  const asked = (changeId: string) => ({
    stream: 'addon-A1' as const,
    event: { type: 'AddonChangeRequested' as const, data: { changeId, by: 'U1', ...nothing, at: at() } },
  });
  const member = (userId: string) => ({ userId, source: 'manual' as const, at: at() });
  return [
    {
      stream: 'publisher-B1',
      event: { type: 'PublisherCreated', data: { publisherId: 'B1', name: 'Doors', at: at() } },
    },
    { stream: 'publisher-B1', event: { type: 'PublisherMemberAdded', data: member('U1') } },
    { stream: 'publisher-B1', event: { type: 'PublisherMemberAdded', data: member('U2') } },
    { stream: 'publisher-B1', event: { type: 'PublisherMemberRemoved', data: member('U2') } },
    { stream: 'publisher-B1', event: { type: 'PublisherRenamed', data: { name: 'Gates', at: at() } } },
    { stream: 'addon-A1', event: { type: 'AddonPublisherSet', data: { publisherId: 'B1', at: at() } } },
    asked('C1'),
    asked('C2'),
    { stream: 'addon-A1', event: { type: 'AddonChangeWithdrawn', data: { changeId: 'C1', at: at() } } },
    {
      stream: 'organization-O1',
      event: { type: 'OrganizationShownToPublishers', data: { shown: false, at: at() } },
    },
  ];
};
