import { as, inIdentity, kept, plain, utc } from '../field-decision.ts';
import {
  activated,
  authorizationRefused,
  deactivated,
  revocationCompleted,
} from '../messages/activation-messages.ts';
import { publish } from '../publication.ts';

const said = { organizationId: inIdentity<string>(), addonId: inIdentity<string>() };

const epochAndTime = { epoch: as('epoch', plain<number>()), at: as('at', utc) };

const actor = kept<string>('names who acted');

export const activationDecisions = {
  AddonActivated: publish('AddonActivated', activated, 'activation', { ...said, ...epochAndTime, by: actor }),
  AddonDeactivated: publish('AddonDeactivated', deactivated, 'activation', {
    ...said,
    ...epochAndTime,
    by: actor,
  }),
  RevocationCompleted: publish('RevocationCompleted', revocationCompleted, 'activation', {
    ...epochAndTime,
    grants: as('grants', plain<number>()),
  }),
  AuthorizationRefused: publish('AuthorizationRefused', authorizationRefused, 'activation', {
    userId: kept<string>('names who was refused'),
    reason: as('reason', plain<'addon-not-active'>()),
    at: as('at', utc),
  }),
};
