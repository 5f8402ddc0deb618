import { z } from 'zod';
import { addonId, at, epoch, organizationId } from './fields.ts';
import { message } from './message-contract.ts';

const identity = { organization_id: organizationId, addon_id: addonId };

export const activationMessages = {
  AddonActivated: message({
    type: 'grantbook.activation.activated.v1',
    identity: 'activation',
    topic: 'activations',
    summary: 'An organization switched an add-on on: a new epoch begins.',
    data: z.strictObject({ ...identity, epoch, at }),
  }),
  AddonDeactivated: message({
    type: 'grantbook.activation.deactivated.v1',
    identity: 'activation',
    topic: 'activations',
    summary:
      'An organization switched an add-on off. No grant of this or an earlier epoch is valid any more; each live one also gets its grantbook.grant.revoked.',
    data: z.strictObject({ ...identity, epoch, at }),
  }),
  RevocationCompleted: message({
    type: 'grantbook.activation.revocation-completed.v1',
    identity: 'activation',
    topic: 'activations',
    summary: 'A grantbook.grant.revoked was published for every grant that was live at the end of the epoch.',
    data: z.strictObject({
      ...identity,
      epoch,
      grants: z.int().min(0).describe('How many grants were revoked for it.'),
      at,
    }),
  }),
  AuthorizationRefused: message({
    type: 'grantbook.activation.authorization-refused.v1',
    identity: 'activation',
    topic: 'activations',
    summary: 'An administrator was refused a code. At most once an hour for each administrator.',
    data: z.strictObject({ ...identity, reason: z.enum(['addon-not-active']), at }),
  }),
};
