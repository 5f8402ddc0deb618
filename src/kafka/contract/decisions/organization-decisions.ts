import { as, kept, utc } from '../field-decision.ts';
import { organizationClosed, organizationRenamed } from '../messages/organization-messages.ts';
import { internal, publish } from '../publication.ts';

const at = as('at', utc);

const organization = "an organization's name and people are the host platform's to tell";
const externalId = 'it is the id of the host platform, which asked for it';

export const organizationDecisions = {
  OrganizationCreated: internal(organization),
  AdministratorAdded: internal(organization),
  AdministratorRemoved: internal(organization),
  AuditorAdded: internal(organization),
  AuditorRemoved: internal(organization),
  OrganizationRenamed: publish('OrganizationRenamed', organizationRenamed, 'organization', {
    name: kept<string>('is a name'),
    at,
  }),
  OrganizationExternalIdSet: internal(externalId),
  ExternalIdClaimed: internal(externalId),
  ExternalIdReleased: internal(externalId),
  OrganizationClosed: publish('OrganizationClosed', organizationClosed, 'organization', { at }),
};
