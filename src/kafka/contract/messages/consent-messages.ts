import { z } from 'zod';
import { addonId, at, consentSubject, scopes } from './fields.ts';
import { messagesOf } from './message-contract.ts';

const ofConsent = messagesOf('consent', 'grants', { addon_id: addonId, subject: consentSubject });

export const consentMessages = {
  ScopesApproved: ofConsent(
    'grantbook.consent.given.v1',
    'Somebody approved what an add-on may read, and will not be asked for it again.',
    {
      scopes,
      epoch: z.int().min(0).describe('Epoch of the subject: an approval of an older epoch is not valid.'),
      at,
    },
  ),
  ConsentWithdrawn: ofConsent(
    'grantbook.consent.withdrawn.v1',
    "An approval was withdrawn. For a user's own records, all earlier grants become invalid; a grantbook.grant.revoked follows for each. For an organization's records, grants stay valid; the user is only asked again.",
    { at },
  ),
};
