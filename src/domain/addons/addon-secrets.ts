import type { AddonEvent, AddonState } from './addon.ts';
import { accept, type Decision, refuse, type At } from '../kernel/decision.ts';

/** Two overlap while a secret is rotated. The rest is for rotations that were never finished. */
const secretsAllowed = 5;

export type AddSecretRefusal = 'addon-unknown' | 'addon-retired' | 'addon-public' | 'too-many-secrets';

/** Adds a secret to the valid ones (AD-02). Adding the same one again changes nothing. */
export const addAddonSecret = (
  addon: AddonState,
  { now, ...secret }: At<'secretId' | 'digest'>,
): Decision<AddonEvent, AddSecretRefusal> => {
  if (addon.status === 'unregistered') return refuse('addon-unknown');
  if (addon.status === 'retired') return refuse('addon-retired');
  // Everybody can read a secret in a public add-on, so it proves nothing. And copies without it would all fail.
  if (!addon.confidential) return refuse('addon-public');
  if (addon.secrets.some(({ secretId }) => secretId === secret.secretId)) return accept();
  if (addon.secrets.length >= secretsAllowed) return refuse('too-many-secrets');
  return accept({ type: 'AddonSecretAdded', data: { ...secret, at: now } });
};

export type RemoveSecretRefusal = 'addon-unknown' | 'secret-unknown' | 'last-secret';

/** Ends one secret, but never the last: an add-on without a secret cannot authenticate (TK-08). */
export const removeAddonSecret = (
  addon: AddonState,
  { secretId, now }: At<'secretId'>,
): Decision<AddonEvent, RemoveSecretRefusal> => {
  if (addon.status === 'unregistered') return refuse('addon-unknown');
  if (!addon.secrets.some((secret) => secret.secretId === secretId)) return refuse('secret-unknown');
  if (addon.secrets.length === 1) return refuse('last-secret');
  return accept({ type: 'AddonSecretRemoved', data: { secretId, at: now } });
};
