import { accept, type Decider, type Decision, type Instant, refuse, type At } from '../kernel/decision.ts';
import {
  type BySource,
  bySource,
  fromAnySource,
  type RoleSource,
  withAdded,
  withRemoved,
} from '../people/role-source.ts';
import type { EventsIn } from '../describe-event.ts';
import type { organizationEvents } from './events.ts';

export type OrganizationEvent = EventsIn<typeof organizationEvents>;

export type OrganizationState = 'open' | 'closed';

export type Organization =
  | { readonly status: 'unknown' }
  | {
      readonly status: 'created';
      readonly organizationId: string;
      readonly name: string;
      readonly state: OrganizationState;
      readonly externalId: string | null;
      /** Each other external id that it has had, once. */
      readonly earlierExternalIds: readonly string[];
      readonly administrators: readonly string[];
      readonly administratorsBySource: BySource<string>;
      readonly auditors: readonly string[];
      /** Whether publishers of its add-ons see its name. */
      readonly shownToPublishers: boolean;
    };

export const organizationDecider: Decider<Organization, OrganizationEvent> = {
  initial: { status: 'unknown' },
  evolve: (organization, event) => {
    if (event.type === 'OrganizationCreated') {
      const { organizationId, name } = event.data;
      return {
        status: 'created',
        organizationId,
        name,
        state: 'open',
        externalId: null,
        earlierExternalIds: [],
        administrators: [],
        administratorsBySource: bySource,
        auditors: [],
        shownToPublishers: true,
      };
    }
    if (organization.status === 'unknown') return organization;
    const { administratorsBySource, auditors } = organization;
    switch (event.type) {
      case 'AdministratorAdded': {
        const { userId, source } = event.data;
        return withAdministrators(
          organization,
          withAdded(administratorsBySource, source ?? 'manual', userId),
        );
      }
      case 'AdministratorRemoved': {
        const { userId, source } = event.data;
        return withAdministrators(
          organization,
          withRemoved(administratorsBySource, source ?? 'manual', userId),
        );
      }
      case 'AuditorAdded': {
        const { userId } = event.data;
        return { ...organization, auditors: [...without(auditors, userId), userId] };
      }
      case 'AuditorRemoved':
        return { ...organization, auditors: without(auditors, event.data.userId) };
      case 'OrganizationRenamed':
        return { ...organization, name: event.data.name };
      case 'OrganizationExternalIdSet': {
        const externalId = event.data.externalId === '' ? null : event.data.externalId;
        const had = [
          ...organization.earlierExternalIds,
          ...(organization.externalId === null ? [] : [organization.externalId]),
        ];
        const earlierExternalIds = [...new Set(had)].filter((id) => id !== externalId);
        return { ...organization, externalId, earlierExternalIds };
      }
      case 'OrganizationShownToPublishers':
        return { ...organization, shownToPublishers: event.data.shown };
      case 'OrganizationClosed':
        return { ...organization, state: 'closed' };
    }
  },
};

const withAdministrators = (
  organization: Extract<Organization, { readonly status: 'created' }>,
  administratorsBySource: BySource<string>,
): Organization => ({
  ...organization,
  administratorsBySource,
  administrators: fromAnySource(administratorsBySource),
});

const without = (values: readonly string[], value: string) => values.filter((other) => other !== value);

export const administers = (organization: Organization, userId: string): boolean =>
  organization.status === 'created' && organization.administrators.includes(userId);

/** Whether add-ons can be activated for it. */
export const isOpen = (organization: Organization): boolean =>
  organization.status === 'created' && organization.state === 'open';

/** Permanently: whatever was active for it has ended. */
export const isClosed = (organization: Organization): boolean =>
  organization.status === 'created' && organization.state === 'closed';

/** Whether the user may read the organization's audit log; the account must have the role as well. */
export const isAuditedBy = (organization: Organization, userId: string): boolean =>
  organization.status === 'created' && organization.auditors.includes(userId);

export const createOrganization = (
  organization: Organization,
  { organizationId, name, now }: At<'organizationId' | 'name'>,
): Decision<OrganizationEvent, 'organization-exists'> =>
  organization.status === 'unknown'
    ? accept({ type: 'OrganizationCreated', data: { organizationId, name, at: now } })
    : refuse('organization-exists');

/** The same name again changes nothing. A closed organization can be renamed, too. */
export const renameOrganization = (
  organization: Organization,
  { name, now }: At<'name'>,
): Decision<OrganizationEvent, 'organization-unknown'> => {
  if (organization.status === 'unknown') return refuse('organization-unknown');
  if (organization.name === name) return accept();
  return accept({ type: 'OrganizationRenamed', data: { name, at: now } });
};

/** The same setting again changes nothing. */
export const showToPublishers = (
  organization: Organization,
  { shown, now }: { readonly shown: boolean; readonly now: Instant },
): Decision<OrganizationEvent, 'organization-unknown'> => {
  if (organization.status === 'unknown') return refuse('organization-unknown');
  return organization.shownToPublishers === shown
    ? accept()
    : accept({ type: 'OrganizationShownToPublishers', data: { shown, at: now } });
};

/** The same external id again changes nothing; null removes it. The caller has claimed it. */
export const setExternalId = (
  organization: Organization,
  { externalId, now }: { readonly externalId: string | null; readonly now: Instant },
): Decision<OrganizationEvent, 'organization-unknown'> => {
  if (organization.status === 'unknown') return refuse('organization-unknown');
  if (organization.externalId === externalId) return accept();
  return accept({ type: 'OrganizationExternalIdSet', data: { externalId: externalId ?? '', at: now } });
};

/** The id turned out to be another organization's. */
export const disownExternalId = (
  organization: Organization,
  { externalId, now }: At<'externalId'>,
): Decision<OrganizationEvent> =>
  organization.status === 'created' && organization.externalId === externalId
    ? accept({ type: 'OrganizationExternalIdSet', data: { externalId: '', at: now } })
    : accept();

/** Closing twice changes nothing. */
export const closeOrganization = (
  organization: Organization,
  { now }: At,
): Decision<OrganizationEvent, 'organization-unknown'> => {
  if (organization.status === 'unknown') return refuse('organization-unknown');
  if (organization.state === 'closed') return accept();
  return accept({ type: 'OrganizationClosed', data: { at: now } });
};

/** Whether the user administers the organization by this source, whatever the other one says. */
export const administersBy = (organization: Organization, source: RoleSource, userId: string): boolean =>
  organization.status === 'created' && organization.administratorsBySource[source].includes(userId);

type Appoint = { readonly userId: string; readonly source?: RoleSource; readonly now: Instant };

/** Adding an administrator twice changes nothing. By claim and by hand, a user can be one twice. */
export const addAdministrator = (
  organization: Organization,
  { userId, source = 'manual', now }: Appoint,
): Decision<OrganizationEvent, 'organization-unknown'> => {
  if (organization.status === 'unknown') return refuse('organization-unknown');
  if (administersBy(organization, source, userId)) return accept();
  return accept({ type: 'AdministratorAdded', data: { userId, source: inEvent(source), at: now } });
};

export type RemovalRefusal = 'organization-unknown' | 'administrator-by-claim' | 'last-administrator';

/** Ends one source of the appointment. By hand, an administrator by claim alone is refused, and so is the last one, unless `force`. */
export const removeAdministrator = (
  organization: Organization,
  {
    userId,
    source = 'manual',
    force = false,
    maySignIn = () => true,
    now,
  }: Appoint & { readonly force?: boolean; readonly maySignIn?: (administrator: string) => boolean },
): Decision<OrganizationEvent, RemovalRefusal> => {
  if (organization.status === 'unknown') return refuse('organization-unknown');
  const { claim } = organization.administratorsBySource;
  if (!administersBy(organization, source, userId))
    return source === 'manual' && claim.includes(userId) ? refuse('administrator-by-claim') : accept();
  const isRemaining = (other: string) => (other === userId ? claim.includes(userId) : maySignIn(other));
  if (source === 'manual' && !force && !organization.administrators.some(isRemaining))
    return refuse('last-administrator');
  return accept({ type: 'AdministratorRemoved', data: { userId, source: inEvent(source), at: now } });
};

/** Makes whole lists of those who administer and audit it; null leaves them. Who administers it by claim must be in the list. */
export const replaceMembers = (
  organization: Organization,
  {
    administrators,
    auditors,
    force = false,
    maySignIn = () => true,
    now,
  }: {
    readonly administrators: readonly string[] | null;
    readonly auditors: readonly string[] | null;
    readonly force?: boolean;
    readonly maySignIn?: (administrator: string) => boolean;
    readonly now: Instant;
  },
): Decision<OrganizationEvent, RemovalRefusal> => {
  if (organization.status === 'unknown') return refuse('organization-unknown');
  const { manual, claim } = organization.administratorsBySource;
  const wanted = administrators ?? organization.administrators;
  if (claim.some((userId) => !wanted.includes(userId))) return refuse('administrator-by-claim');
  const removed = manual.filter((userId) => !wanted.includes(userId));
  if (removed.length > 0 && !force && !wanted.some(maySignIn)) return refuse('last-administrator');
  const audited = auditors ?? organization.auditors;
  const event = (type: 'AdministratorAdded' | 'AdministratorRemoved') => (userId: string) =>
    ({ type, data: { userId, source: inEvent('manual'), at: now } }) as const;
  const auditor = (type: 'AuditorAdded' | 'AuditorRemoved') => (userId: string) =>
    ({ type, data: { userId, at: now } }) as const;
  return accept<OrganizationEvent>(
    ...notAmong(wanted, organization.administrators).map(event('AdministratorAdded')),
    ...removed.map(event('AdministratorRemoved')),
    ...notAmong(audited, organization.auditors).map(auditor('AuditorAdded')),
    ...notAmong(organization.auditors, audited).map(auditor('AuditorRemoved')),
  );
};

const notAmong = (values: readonly string[], others: readonly string[]) =>
  values.filter((value) => !others.includes(value));

const inEvent = (source: RoleSource) => (source === 'claim' ? source : null);

/** Adding an auditor twice changes nothing. */
export const addAuditor = (
  organization: Organization,
  { userId, now }: At<'userId'>,
): Decision<OrganizationEvent, 'organization-unknown'> => {
  if (organization.status === 'unknown') return refuse('organization-unknown');
  if (isAuditedBy(organization, userId)) return accept();
  return accept({ type: 'AuditorAdded', data: { userId, at: now } });
};

export const removeAuditor = (
  organization: Organization,
  { userId, now }: At<'userId'>,
): Decision<OrganizationEvent, 'organization-unknown'> => {
  if (organization.status === 'unknown') return refuse('organization-unknown');
  if (!isAuditedBy(organization, userId)) return accept();
  return accept({ type: 'AuditorRemoved', data: { userId, at: now } });
};
