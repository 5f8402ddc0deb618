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
    };

export type Organization =
  | { readonly status: 'unknown' }
  | {
      readonly status: 'created';
      readonly organizationId: string;
      readonly name: string;
      /** User ids. */
      readonly administrators: readonly string[];
    };

export const organizationDecider: Decider<Organization, OrganizationEvent> = {
  initial: { status: 'unknown' },
  evolve: (organization, event) => {
    if (event.type === 'OrganizationCreated') {
      const { organizationId, name } = event.data;
      return { status: 'created', organizationId, name, administrators: [] };
    }
    if (organization.status === 'unknown') return organization;
    const others = organization.administrators.filter((userId) => userId !== event.data.userId);
    switch (event.type) {
      case 'AdministratorAdded':
        return { ...organization, administrators: [...others, event.data.userId] };
      case 'AdministratorRemoved':
        return { ...organization, administrators: others };
    }
  },
};

export const administers = (organization: Organization, userId: string): boolean =>
  organization.status === 'created' && organization.administrators.includes(userId);

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
