import { z } from 'zod';
import { type AddonEvent, grantTypes, idTokenAlgs, logoTypes } from '../../../domain/addons/addon.ts';
import { allowableScopes } from '../../../domain/access/scope.ts';
import { instant, mustKnow, schemasOf } from './schemas-of.ts';

export const addonSchemas = schemasOf<AddonEvent>()({
  AddonRegistered: mustKnow({
    addonId: z.string(),
    name: z.string(),
    redirectUris: z.array(z.string()),
    configurationUrl: z.string().nullable(),
    allowedScopes: z.array(z.enum(allowableScopes)),
    confidential: z.boolean(),
    grantTypes: z.array(z.enum(grantTypes)),
    postLogoutRedirectUris: z.array(z.string()),
    idTokenAlg: z.enum(idTokenAlgs),
    audiences: z.array(z.string()),
    at: instant,
  }),
  AddonSecretAdded: mustKnow({ secretId: z.string(), digest: z.string(), at: instant }),
  AddonSecretRemoved: mustKnow({ secretId: z.string(), at: instant }),
  AddonAudienceAllowed: mustKnow({
    audience: z.string(),
    resourceServerId: z.string().nullable(),
    at: instant,
  }),
  AddonAudienceDisallowed: mustKnow({ audience: z.string(), at: instant }),
  AddonSuspended: mustKnow({ at: instant }),
  AddonResumed: mustKnow({ at: instant }),
  AddonUpdated: mustKnow({
    name: z.string().nullable(),
    redirectUris: z.array(z.string()).nullable(),
    configurationUrl: z.string().nullable(),
    allowedScopes: z.array(z.enum(allowableScopes)).nullable(),
    postLogoutRedirectUris: z.array(z.string()).nullable(),
    publisher: z.string().nullable(),
    website: z.string().nullable(),
    privacyUrl: z.string().nullable(),
    supportUrl: z.string().nullable(),
    logo: z.strictObject({ mediaType: z.enum(logoTypes), data: z.string() }).nullable(),
    at: instant,
  }),
  AddonRetired: mustKnow({ at: instant }),
});
