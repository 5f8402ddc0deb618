import { accessRight } from '../../src/domain/records/access-right.ts';
import { usualRegistration } from '../../src/domain/addons/addon.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import { reservation } from '../../src/domain/records/reservation.ts';
import {
  accountStream,
  activationStream,
  addonStream,
  consentStream,
  grantStream,
  organizationStream,
  profileStream,
  recordStream,
  type StreamName,
} from '../../src/domain/streams.ts';
import { redirectUri, scopes } from '../world.ts';

/** All events of one organization, stream by stream; every read model gets some of them. */
export type Story = readonly (readonly [StreamName, readonly DomainEvent[]])[];

const [people, addons, turns, grantsOfAll, reservations, accessRights] = [20, 4, 5, 120, 80, 280];
const at = Date.UTC(2026, 0, 1);
const [minute, month] = [60_000, 30 * 86_400_000];

/** Unique ids of the same length as the service's. */
export const idOf = (kind: string, house: number, index: number): string =>
  `01${kind}${String(house).padStart(10, '0')}${String(index).padStart(13, '0')}`;

export const storyOf = (house: number): Story => {
  const organizationId = idOf('A', house, 0);
  const userIds = times(people, (index) => idOf('B', house, index));
  const addonIds = times(addons, (index) => idOf('C', house, index));
  const one = (ids: readonly string[], index: number): string => ids[index % ids.length] ?? '';
  return [
    [organizationStream(organizationId), organization(organizationId, userIds)],
    ...userIds.map((userId, index) => [accountStream(userId), account(userId, index)] as const),
    ...addonIds.map((addonId) => [addonStream(addonId), addon(addonId)] as const),
    ...addonIds.map(
      (addonId) => [activationStream(organizationId, addonId), activation(organizationId, addonId)] as const,
    ),
    ...userIds.map((userId, index) => {
      const addonId = one(addonIds, index);
      return [consentStream(userId, addonId), consent(userId, addonId)] as const;
    }),
    ...times(grantsOfAll, (index) => {
      const [grantId, userId, addonId] = [idOf('D', house, index), one(userIds, index), one(addonIds, index)];
      return [grantStream(grantId), grant({ grantId, userId, addonId, organizationId, index })] as const;
    }),
    ...records(organizationId, userIds),
  ];
};

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const organization = (organizationId: string, userIds: readonly string[]): readonly DomainEvent[] => [
  { type: 'OrganizationCreated', data: { organizationId, name: `House ${organizationId}`, at } },
  ...userIds.map((userId): DomainEvent => ({
    type: 'AdministratorAdded',
    data: { userId, source: null, at },
  })),
  ...userIds
    .slice(2)
    .map((userId): DomainEvent => ({ type: 'AdministratorRemoved', data: { userId, source: null, at } })),
];

const account = (userId: string, index: number): readonly DomainEvent[] => [
  {
    type: 'AccountCreated',
    data: {
      emailVouchedBy: 'operator',
      userId,
      email: `${userId}@example.com`,
      name: `Person ${index}`,
      roles: [],
      at,
    },
  },
  ...(index % 10 === 0 ? [{ type: 'AccountDisabled', data: { epoch: 1, at } } as const] : []),
];

const addon = (addonId: string): readonly DomainEvent[] => [
  {
    type: 'AddonRegistered',
    data: {
      addonId,
      name: `Add-on ${addonId}`,
      redirectUris: [redirectUri],
      configurationUrl: 'https://addon.example/configure',
      allowedScopes: scopes,
      confidential: false,
      ...usualRegistration,
      at,
    },
  },
  { type: 'AddonSuspended', data: { at } },
  { type: 'AddonResumed', data: { at } },
];

const activation = (organizationId: string, addonId: string): readonly DomainEvent[] =>
  times(turns, (turn): readonly DomainEvent[] => {
    const data = { organizationId, addonId, epoch: turn + 1, by: 'break-glass', at };
    const [activated, deactivated] = [
      { type: 'AddonActivated', data } as const,
      { type: 'AddonDeactivated', data } as const,
    ];
    return turn === turns - 1 ? [activated] : [activated, deactivated];
  }).flat();

const consent = (userId: string, addonId: string): readonly DomainEvent[] => [
  { type: 'ScopesApproved', data: { userId, addonId, scopes, epoch: 0, choice: null, at } },
  { type: 'ConsentWithdrawn', data: { userId, addonId, epoch: 1, at } },
  { type: 'ScopesApproved', data: { userId, addonId, scopes, epoch: 1, choice: null, at } },
];

type Approved = {
  readonly grantId: string;
  readonly userId: string;
  readonly addonId: string;
  readonly organizationId: string;
  readonly index: number;
};

const proof = { keyId: 'bench', salt: 'c2FsdC1zYWx0LXNhbHQtMQ', at };

/** Eight organization grants for every two users' own grants; one in five has ended. */
const grant = ({ grantId, userId, addonId, organizationId, index }: Approved): readonly DomainEvent[] => [
  {
    type: 'AuthorizationCodeIssued',
    data: {
      ...proof,
      grantId,
      addonId,
      userId,
      subject:
        index % 5 === 0
          ? { kind: 'user', userId, epoch: 1 }
          : { kind: 'organization', organizationId, epoch: turns },
      scopes,
      redirectUri,
      codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', // RFC 7636, appendix B
      nonce: null,
      resources: [],
      authTime: at,
      authentication: null,
      expiresAt: at + minute,
    },
  },
  {
    type: 'AuthorizationCodeRedeemed',
    data: {
      ...proof,
      accessExpiresAt: at + minute,
      refreshIdleExpiresAt: at + month,
      refreshAbsoluteExpiresAt: at + month,
      resources: null,
    },
  },
  ...[1, 2].map((rotation): DomainEvent => ({
    type: 'TokensRefreshed',
    data: {
      ...proof,
      rotation,
      scopes,
      accessExpiresAt: at + minute,
      refreshIdleExpiresAt: at + month,
      graceUntil: at + minute,
      resources: null,
      counts: { rejections: 0, hour: { began: at, rotations: rotation } },
    },
  })),
  ...(index % 5 === 4 ? [{ type: 'GrantRevoked', data: { reason: 'revoked-by-addon', at } } as const] : []),
];

/** One access right in ten is removed. */
const records = (organizationId: string, userIds: readonly string[]): Story => {
  const own = (id: string, version = 1) => ({ organizationId, id, version, at });
  const profileOf = (index: number) => `p${index % userIds.length}`;
  return [
    ...userIds.map((userId, index) => {
      const [id, nothing] = [profileOf(index), { phone: null, locale: null, externalId: null }];
      const person = { name: `Person ${index}`, email: `${id}@example.com`, userId, ...nothing };
      const data = { ...own(id), ...person };
      return [profileStream(organizationId, id), [{ type: 'ProfileRecorded', data }]] as const;
    }),
    ...times(reservations, (index) => {
      const [id, profileId] = [`r${index}`, profileOf(index)];
      const hours = { startsAt: '2026-05-01T08:00:00Z', endsAt: '2026-05-01T09:00:00Z' };
      const what = { profileId, resource: 'Court 1', status: 'confirmed', title: null, note: null } as const;
      const data = { ...own(id), ...hours, ...what };
      return [
        recordStream(reservation, organizationId, id),
        [{ type: 'ReservationRecorded', data }],
      ] as const;
    }),
    ...times(accessRights, (index) => {
      const [id, profileId] = [`a${index}`, profileOf(index)];
      const when = { validFrom: '2026-05-01T08:00:00Z', validUntil: null };
      const what = { profileId, opens: 'Front door', status: 'active', reservationId: null } as const;
      const recorded = { type: 'AccessRightRecorded', data: { ...own(id), ...when, ...what } } as const;
      const removed = { type: 'AccessRightRemoved', data: own(id, 2) } as const;
      const events = index % 10 === 9 ? [recorded, removed] : [recorded];
      return [recordStream(accessRight, organizationId, id), events] as const;
    }),
  ];
};
