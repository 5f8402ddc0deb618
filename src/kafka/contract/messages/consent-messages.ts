import { z } from 'zod';
import { addonId, at, consentSubject, scopes } from './fields.ts';
import { message } from './message-contract.ts';

const identity = { addon_id: addonId, subject: consentSubject };

export const consentMessages = {
  ScopesApproved: message({
    type: 'grantbook.consent.given.v1',
    identity: 'consent',
    topic: 'grants',
    summary: 'Somebody approved what an add-on may read, and will not be asked for it again.',
    data: z.strictObject({
      ...identity,
      scopes,
      epoch: z.int().min(0).describe('Epoch of the subject: an approval of an older epoch is not valid.'),
      at,
    }),
  }),
  ConsentWithdrawn: message({
    type: 'grantbook.consent.withdrawn.v1',
    identity: 'consent',
    topic: 'grants',
    summary:
      "An approval was withdrawn. For a user's own records, all earlier grants become invalid; a grantbook.grant.revoked follows for each. For an organization's records, grants stay valid; the user is only asked again.",
    data: z.strictObject({ ...identity, at }),
  }),
};
