import { accept, type Decider, type Decision, type Instant, refuse } from './decision.ts';

export type OrganizationEvent =
  | {
      readonly type: 'OrganizationCreated';
      readonly data: { readonly organizationId: string; readonly name: string; readonly at: Instant };
    }
  | { readonly type: 'AdministratorAdded'; readonly data: { readonly userId: string; readonly at: Instant } }
  | {
      readonly type: 'AdministratorRemoved';
      readonly data: { readonly userId: string; readonly at: Instant };
    }
  /** The user may read the organization's audit log, as long as the account has the role. */
  | { readonly type: 'AuditorAdded'; readonly data: { readonly userId: string; readonly at: Instant } }
  | { readonly type: 'AuditorRemoved'; readonly data: { readonly userId: string; readonly at: Instant } };

export type Organization =
  | { readonly status: 'unknown' }
  | {
      readonly status: 'created';
      readonly organizationId: string;
      readonly name: string;
      /** User ids. */
      readonly administrators: readonly string[];
      /** User ids. */
      readonly auditors: readonly string[];
    };

export const organizationDecider: Decider<Organization, OrganizationEvent> = {
  initial: { status: 'unknown' },
  evolve: (organization, event) => {
    if (event.type === 'OrganizationCreated') {
      const { organizationId, name } = event.data;
      return { status: 'created', organizationId, name, administrators: [], auditors: [] };
    }
    if (organization.status === 'unknown') return organization;
    const { administrators, auditors } = organization;
    const { userId } = event.data;
    switch (event.type) {
      case 'AdministratorAdded':
        return { ...organization, administrators: [...without(administrators, userId), userId] };
      case 'AdministratorRemoved':
        return { ...organization, administrators: without(administrators, userId) };
      case 'AuditorAdded':
        return { ...organization, auditors: [...without(auditors, userId), userId] };
      case 'AuditorRemoved':
        return { ...organization, auditors: without(auditors, userId) };
    }
  },
};

const without = (userIds: readonly string[], userId: string) => userIds.filter((other) => other !== userId);

export const administers = (organization: Organization, userId: string): boolean =>
  organization.status === 'created' && organization.administrators.includes(userId);

/** Whether the user may read the organization's audit log; the account must have the role as well. */
export const isAuditedBy = (organization: Organization, userId: string): boolean =>
  organization.status === 'created' && organization.auditors.includes(userId);

export const createOrganization = (
  organization: Organization,
  {
    organizationId,
    name,
    now,
  }: { readonly organizationId: string; readonly name: string; readonly now: Instant },
): Decision<OrganizationEvent, 'organization-exists'> =>
  organization.status === 'unknown'
    ? accept({ type: 'OrganizationCreated', data: { organizationId, name, at: now } })
    : refuse('organization-exists');

/** Adding an administrator twice changes nothing. */
export const addAdministrator = (
  organization: Organization,
  { userId, now }: { readonly userId: string; readonly now: Instant },
): Decision<OrganizationEvent, 'organization-unknown'> => {
  if (organization.status === 'unknown') return refuse('organization-unknown');
  if (administers(organization, userId)) return accept();
  return accept({ type: 'AdministratorAdded', data: { userId, at: now } });
};

/** Removing a user who is no administrator changes nothing. */
export const removeAdministrator = (
  organization: Organization,
  { userId, now }: { readonly userId: string; readonly now: Instant },
): Decision<OrganizationEvent, 'organization-unknown'> => {
  if (organization.status === 'unknown') return refuse('organization-unknown');
  if (!administers(organization, userId)) return accept();
  return accept({ type: 'AdministratorRemoved', data: { userId, at: now } });
};

/** Adding an auditor twice changes nothing. */
export const addAuditor = (
  organization: Organization,
  { userId, now }: { readonly userId: string; readonly now: Instant },
): Decision<OrganizationEvent, 'organization-unknown'> => {
  if (organization.status === 'unknown') return refuse('organization-unknown');
  if (isAuditedBy(organization, userId)) return accept();
  return accept({ type: 'AuditorAdded', data: { userId, at: now } });
};

/** Removing a user who is no auditor changes nothing. */
export const removeAuditor = (
  organization: Organization,
  { userId, now }: { readonly userId: string; readonly now: Instant },
): Decision<OrganizationEvent, 'organization-unknown'> => {
  if (organization.status === 'unknown') return refuse('organization-unknown');
  if (!isAuditedBy(organization, userId)) return accept();
  return accept({ type: 'AuditorRemoved', data: { userId, at: now } });
};
