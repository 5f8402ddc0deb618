import { z } from 'zod';
import { addonId, at, epoch, organizationId } from './fields.ts';
import { messagesOf } from './message-contract.ts';

const ofActivation = messagesOf('activation', 'activations', {
  organization_id: organizationId,
  addon_id: addonId,
});

export const activationMessages = {
  AddonActivated: ofActivation(
    'grantbook.activation.activated.v1',
    'An organization switched an add-on on: a new epoch begins.',
    { epoch, at },
  ),
  AddonDeactivated: ofActivation(
    'grantbook.activation.deactivated.v1',
    'An organization switched an add-on off. No grant of this or an earlier epoch is valid any more; each live one also gets its grantbook.grant.revoked.',
    { epoch, at },
  ),
  RevocationCompleted: ofActivation(
    'grantbook.activation.revocation-completed.v1',
    'A grantbook.grant.revoked was published for every grant that was live at the end of the epoch.',
    {
      epoch,
      grants: z.int().min(0).describe('How many grants were revoked for it that had not expired.'),
      at,
    },
  ),
  AuthorizationRefused: ofActivation(
    'grantbook.activation.authorization-refused.v1',
    'An administrator was refused a code. At most once an hour for each administrator.',
    { reason: z.enum(['addon-not-active']), at },
  ),
};
