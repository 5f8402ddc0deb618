import { usualRegistration, type AddonEvent } from '../../../src/domain/addons/addon.ts';
import { eachWebAddress } from '../../../src/domain/addons/web-addresses.ts';

/** A public add-on with one redirect URI. */
export const registered = {
  type: 'AddonRegistered',
  data: {
    addonId: 'addon',
    name: 'Door Opener',
    redirectUris: ['https://doors.example/callback'],
    configurationUrl: null,
    allowedScopes: ['access-rights:read', 'profiles:read'],
    confidential: false,
    ...usualRegistration,
    at: 1,
  },
} as const satisfies AddonEvent;

/** An update of nothing else. */
export const updated = (changes: object): AddonEvent => ({
  type: 'AddonUpdated',
  data: {
    name: null,
    redirectUris: null,
    configurationUrl: null,
    allowedScopes: null,
    postLogoutRedirectUris: null,
    publisher: null,
    ...eachWebAddress(() => null),
    logo: null,
    at: 4,
    ...changes,
  },
});
