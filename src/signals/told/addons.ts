import type { EventOf } from '../../domain/events.ts';
import { idOf } from '../../domain/kernel/stream-name.ts';
import type { OwnName } from '../set-types.ts';
import { opaqueSubject, own, type Telling, type Told } from './told.ts';

type At = { readonly at: number };

const aboutAddon = (
  name: OwnName,
  telling: Telling,
  { at }: At,
  payload: Readonly<Record<string, unknown>> & { readonly reason: string },
): readonly Told[] => {
  const addonId = idOf(telling.recorded.stream);
  return [{ addonId, queue: 'addon', subId: opaqueSubject(addonId), ...own(name, telling, at, payload) }];
};

export const suspended = (data: At, telling: Telling) =>
  aboutAddon('addon-suspended', telling, data, { reason: 'An operator suspended the add-on.' });

export const resumed = (data: At, telling: Telling) =>
  aboutAddon('addon-resumed', telling, data, { reason: 'An operator ended the suspension.' });

/** By an id: nothing that could lead to the secret is told. */
const secret =
  (change: 'added' | 'removed') => (data: At & { readonly secretId: string }, telling: Telling) =>
    aboutAddon('secret-rotated', telling, data, {
      change,
      secret_id: data.secretId,
      reason: `An operator ${change} a client secret.`,
    });

export const secretAdded = secret('added');
export const secretRemoved = secret('removed');

/** The fields as the command line and the API name them, without their values: names may be people's. */
const changed = (fields: readonly string[], reason: string) => (data: At, telling: Telling) =>
  aboutAddon('registration-changed', telling, data, { changed: fields, reason });

const fieldNames: Readonly<Record<Exclude<keyof EventOf<'AddonUpdated'>['data'], 'at'>, string>> = {
  name: 'name',
  redirectUris: 'redirect_uris',
  configurationUrl: 'configuration_url',
  allowedScopes: 'allowed_scopes',
  postLogoutRedirectUris: 'post_logout_redirect_uris',
  publisher: 'publisher',
  website: 'website',
  privacyUrl: 'privacy_url',
  supportUrl: 'support_url',
  logo: 'logo',
};

export const updated = (data: EventOf<'AddonUpdated'>['data'], telling: Telling) => {
  const fields = Object.entries(fieldNames).flatMap(([field, name]) =>
    data[field as keyof typeof fieldNames] === null ? [] : [name],
  );
  return changed(fields, 'An operator changed the registration.')(data, telling);
};

export const audienceChanged = changed(['allowed_audiences'], 'An operator changed the registration.');

/** A poll needs a token, which ends with the add-on: only who is pushed to still hears it. */
export const retired = changed(['retired'], 'An operator retired the add-on for good.');
