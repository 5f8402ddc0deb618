import type { Scope } from '../../../domain/access/scope.ts';
import { as, inIdentity, kept, plain, utc } from '../field-decision.ts';
import { consentGiven, consentWithdrawn } from '../messages/consent-messages.ts';
import { internal, publish } from '../publication.ts';

const about = {
  userId: kept<string>('names who approved; where it is the subject, the subject says so'),
  addonId: inIdentity<string>(),
};

export const consentDecisions = {
  ScopesApproved: publish('ScopesApproved', consentGiven, 'consent', {
    ...about,
    scopes: as('scopes', plain<readonly Scope[]>()),
    epoch: as('epoch', plain<number>()),
    choice: kept<string | null>('says what the page offered to one person, not what was approved'),
    at: as('at', utc),
  }),
  AudienceApproved: internal('it concerns another resource server; what comes of it goes out with the grant'),
  ConsentWithdrawn: publish('ConsentWithdrawn', consentWithdrawn, 'consent', {
    ...about,
    epoch: kept<number>("counts one person's withdrawals, which is no subject's epoch"),
    at: as('at', utc),
  }),
};
