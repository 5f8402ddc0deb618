import type { GrantSubject } from '../../domain/access/grant.ts';
import type { OrganizationNames } from '../../projections/read-models.ts';

type OfSubject = { readonly subject: GrantSubject };

/** `organization_id`: undefined where a token opens a user's own records (AP-01). */
export const organizationIdOf = ({ subject }: OfSubject): string | undefined =>
  subject.kind === 'organization' ? subject.organizationId : undefined;

/** What that organization is called; nothing where that is not known yet. */
export const nameMembers = (names: OrganizationNames | null | undefined) =>
  names
    ? {
        organization_name: names.name,
        ...(names.externalId !== null && { external_id: names.externalId }),
      }
    : {};

export const organizationOf = (of: OfSubject, names: OrganizationNames | null) => ({
  ...(of.subject.kind === 'organization' && { organization_id: of.subject.organizationId }),
  ...nameMembers(names),
});
