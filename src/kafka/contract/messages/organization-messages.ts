import { z } from 'zod';
import { at, organizationId } from './fields.ts';
import { message } from './message-contract.ts';

const identity = { organization_id: organizationId };

export const organizationMessages = {
  OrganizationRenamed: message({
    type: 'grantbook.organization.renamed.v1',
    identity: 'organization',
    topic: 'activations',
    summary: 'The organization has another name, which is not in the message.',
    data: z.strictObject({ ...identity, at }),
  }),
  OrganizationClosed: message({
    type: 'grantbook.organization.closed.v1',
    identity: 'organization',
    topic: 'activations',
    summary:
      'The organization was permanently closed: no add-on can be activated for it. Each active one also gets its grantbook.activation.deactivated.',
    data: z.strictObject({ ...identity, at }),
  }),
};
