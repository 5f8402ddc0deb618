import { z } from 'zod';
import { addonId, at, consentSubject, scopes } from './fields.ts';
import { message } from './message-contract.ts';

const identity = { addon_id: addonId, subject: consentSubject };

export const consentGiven = message({
  type: 'grantbook.consent.given.v1',
  topic: 'grants',
  summary: 'Somebody approved what an add-on may read, and will not be asked for it again.',
  data: z.strictObject({
    ...identity,
    scopes,
    epoch: z.int().min(0).describe("The subject's: an approval of an older epoch counts for nothing."),
    at,
  }),
});

export const consentWithdrawn = message({
  type: 'grantbook.consent.withdrawn.v1',
  topic: 'grants',
  summary:
    "An approval was taken back. For a user's own records every grant of before works no more; each also gets its grantbook.grant.revoked. For an organization's records the grants live on: somebody is asked again, no more.",
  data: z.strictObject({ ...identity, at }),
});
