import { z } from 'zod';
import { type AddonEvent, grantTypes, idTokenAlgs, logoTypes } from '../../domain/addon.ts';
import { scopes } from '../../domain/scope.ts';
import { instant, schemasOf } from './schemas-of.ts';

export const addonSchemas = schemasOf<AddonEvent>()({
  AddonRegistered: z.strictObject({
    addonId: z.string(),
    name: z.string(),
    redirectUris: z.array(z.string()),
    configurationUrl: z.string().nullable(),
    allowedScopes: z.array(z.enum(scopes)),
    confidential: z.boolean(),
    grantTypes: z.array(z.enum(grantTypes)),
    postLogoutRedirectUris: z.array(z.string()),
    idTokenAlg: z.enum(idTokenAlgs),
    audiences: z.array(z.string()),
    at: instant,
  }),
  AddonSecretAdded: z.strictObject({ secretId: z.string(), digest: z.string(), at: instant }),
  AddonSecretRemoved: z.strictObject({ secretId: z.string(), at: instant }),
  AddonAudienceAllowed: z.strictObject({
    audience: z.string(),
    resourceServerId: z.string().nullable(),
    at: instant,
  }),
  AddonAudienceDisallowed: z.strictObject({ audience: z.string(), at: instant }),
  AddonSuspended: z.strictObject({ at: instant }),
  AddonResumed: z.strictObject({ at: instant }),
  AddonUpdated: z.strictObject({
    name: z.string().nullable(),
    redirectUris: z.array(z.string()).nullable(),
    configurationUrl: z.string().nullable(),
    allowedScopes: z.array(z.enum(scopes)).nullable(),
    postLogoutRedirectUris: z.array(z.string()).nullable(),
    publisher: z.string().nullable(),
    website: z.string().nullable(),
    privacyUrl: z.string().nullable(),
    supportUrl: z.string().nullable(),
    logo: z.strictObject({ mediaType: z.enum(logoTypes), data: z.string() }).nullable(),
    at: instant,
  }),
  AddonRetired: z.strictObject({ at: instant }),
});
