import type { GrantType, IdTokenAlg } from '../../../domain/addon.ts';
import type { Scope } from '../../../domain/scope.ts';
import { as, inIdentity, kept, plain, utc } from '../field-decision.ts';
import { addonRegistered, addonResumed, addonSuspended } from '../messages/addon-messages.ts';
import { internal, publish } from '../publication.ts';

const at = as('at', utc);

const secretsAreIts = 'how an add-on proves who it is concerns nobody else, and decides nothing';

const audiencesAreAsked =
  'what an add-on may ask for is between it and the operator; what it gets goes out with the grant';

export const addonDecisions = {
  AddonRegistered: publish('AddonRegistered', addonRegistered, 'addon', {
    addonId: inIdentity<string>(),
    name: kept<string>('is a name'),
    redirectUris: kept<readonly string[]>('is between the add-on and the authorization endpoint'),
    configurationUrl: kept<string | null>("is where the add-on's own settings are"),
    allowedScopes: as('allowed_scopes', plain<readonly Scope[]>()),
    confidential: as('confidential', plain<boolean>()),
    grantTypes: as('grant_types', plain<readonly GrantType[]>()),
    postLogoutRedirectUris: kept<readonly string[]>('is between the add-on and the sign-out'),
    idTokenAlg: kept<IdTokenAlg>('is between the add-on and its id_tokens'),
    audiences: as('audiences', plain<readonly string[]>()),
    at,
  }),
  AddonSecretAdded: internal(secretsAreIts),
  AddonSecretRemoved: internal(secretsAreIts),
  AddonAudienceAllowed: internal(audiencesAreAsked),
  AddonAudienceDisallowed: internal(audiencesAreAsked),
  AddonSuspended: publish('AddonSuspended', addonSuspended, 'addon', { at }),
  AddonResumed: publish('AddonResumed', addonResumed, 'addon', { at }),
};
