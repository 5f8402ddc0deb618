import { activationMessages } from './activation-messages.ts';
import { addonMessages } from './addon-messages.ts';
import { consentMessages } from './consent-messages.ts';
import { grantMessages } from './grant-messages.ts';
import { organizationMessages } from './organization-messages.ts';

/** What readers are promised, by the type of the event that is published; in the order of the AsyncAPI document. */
export const messages = {
  ...activationMessages,
  ...grantMessages,
  ...consentMessages,
  ...addonMessages,
  ...organizationMessages,
};
