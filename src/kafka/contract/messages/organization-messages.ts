import { at, organizationId } from './fields.ts';
import { messagesOf } from './message-contract.ts';

const ofOrganization = messagesOf('organization', 'activations', { organization_id: organizationId });

export const organizationMessages = {
  OrganizationRenamed: ofOrganization(
    'grantbook.organization.renamed.v1',
    'The organization has another name, which is not in the message.',
    { at },
  ),
  OrganizationClosed: ofOrganization(
    'grantbook.organization.closed.v1',
    'The organization was permanently closed: no add-on can be activated for it. Each active one also gets its grantbook.activation.deactivated.',
    { at },
  ),
};
