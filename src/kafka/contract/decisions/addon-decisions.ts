import type { GrantType, IdTokenAlg, Logo } from '../../../domain/addons/addon.ts';
import type { AllowedScope } from '../../../domain/access/scope.ts';
import { as, inIdentity, kept, plain, utc } from '../field-decision.ts';
import {
  addonRegistered,
  addonResumed,
  addonRetired,
  addonSuspended,
  addonUpdated,
} from '../messages/addon-messages.ts';
import { internal, publish } from '../publication.ts';

const at = as('at', utc);

const secretsAreIts = 'how an add-on proves who it is concerns nobody else, and decides nothing';

const audiencesAreAsked =
  'what an add-on may ask for is between it and the operator; what it gets goes out with the grant';

const isShown = 'is for people who look at our pages';

export const addonDecisions = {
  AddonRegistered: publish('AddonRegistered', addonRegistered, 'addon', {
    addonId: inIdentity<string>(),
    name: kept<string>('is a name'),
    redirectUris: kept<readonly string[]>('is between the add-on and the authorization endpoint'),
    configurationUrl: kept<string | null>("is where the add-on's own settings are"),
    allowedScopes: as('allowed_scopes', plain<readonly AllowedScope[]>()),
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
  AddonUpdated: publish('AddonUpdated', addonUpdated, 'addon', {
    name: kept<string | null>('is a name'),
    redirectUris: kept<readonly string[] | null>('is between the add-on and the authorization endpoint'),
    configurationUrl: kept<string | null>("is where the add-on's own settings are"),
    allowedScopes: as('allowed_scopes', plain<readonly AllowedScope[] | null>()),
    postLogoutRedirectUris: kept<readonly string[] | null>('is between the add-on and the sign-out'),
    publisher: kept<string | null>('is a name'),
    website: kept<string | null>(isShown),
    privacyUrl: kept<string | null>(isShown),
    supportUrl: kept<string | null>(isShown),
    logo: kept<Logo | null>(isShown),
    at,
  }),
  AddonRetired: publish('AddonRetired', addonRetired, 'addon', { at }),
};
