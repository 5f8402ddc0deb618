import { randomBytes } from 'node:crypto';
import { addonDecider } from '../../domain/addons/addon.ts';
import {
  addAddonSecret,
  removeAddonSecret,
  type AddSecretRefusal,
  type RemoveSecretRefusal,
} from '../../domain/addons/addon-secrets.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { addonStream } from '../../domain/streams.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { AddonDirectory } from './find-addon.ts';
import type { Once } from '../kernel/once.ts';
import { handle, load } from '../kernel/handle.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { retryUnknownOutcome } from '../kernel/retry-unknown-outcome.ts';
import { s256 } from '../credentials/secrets.ts';
import { onAddon } from '../kernel/handle-retrying.ts';

/** Visible, so that secret scanners find a leaked one. */
const prefix = 'mkt_cs_';

/** A client secret of 256 random bits. */
export const newClientSecret = (once?: Once): string =>
  prefix + (once?.bytes ?? randomBytes)(32).toString('base64url');

type Dependencies = Pick<CommandDependencies, 'store' | 'now' | 'newId'> & {
  readonly addons: AddonDirectory;
};

/** Adds a secret to an add-on. It is in this answer and never shown again: the log holds its digest (AD-02). */
export const makeAddAddonSecret =
  ({ store, now, newId, addons }: Dependencies) =>
  async (
    addonId: string,
    context?: CommandContext,
  ): Promise<Outcome<{ readonly secretId: string; readonly clientSecret: string }, AddSecretRefusal>> => {
    if (!isUlid(addonId)) return { ok: false, refusal: 'addon-unknown' };
    const { once } = context ?? {};
    const clientSecret = newClientSecret(once);
    const secret = { secretId: (once?.newId ?? newId)(), digest: s256(clientSecret), now: now() };
    const { refusal } = await onAddon(store, addonId, (addon) => addAddonSecret(addon, secret), {
      context,
      ...byOperator(),
    });
    addons.forget(addonId);
    if (refusal !== undefined) return { ok: false, refusal };
    return { ok: true, value: { secretId: secret.secretId, clientSecret } };
  };

/** Ends a secret. Other instances accept it until they read the add-on again, 5 s at most. */
export const makeRemoveAddonSecret =
  ({ store, now, addons }: Dependencies) =>
  async (
    { addonId, secretId }: { readonly addonId: string; readonly secretId: string },
    context?: CommandContext,
  ): Promise<Outcome<null, RemoveSecretRefusal>> => {
    if (!isUlid(addonId)) return { ok: false, refusal: 'addon-unknown' };
    const command = { secretId, now: now() };
    const remove = (attempt: 'first' | 'again') =>
      handle(
        store,
        addonStream(addonId),
        addonDecider,
        (addon) => {
          const decision = removeAddonSecret(addon, command);
          // The first attempt did succeed: the secret is gone.
          return attempt === 'again' && decision.refusal === 'secret-unknown' ? { events: [] } : decision;
        },
        { context, ...byOperator() },
      );
    const { refusal } = await retryUnknownOutcome(remove);
    addons.forget(addonId);
    return refusal === undefined ? { ok: true, value: null } : { ok: false, refusal };
  };

/** The valid secrets, oldest first, from the log, without their digests. Null for an unknown add-on. */
export const makeListAddonSecrets =
  ({ store }: Pick<Dependencies, 'store'>) =>
  async (
    addonId: string,
  ): Promise<readonly { readonly secretId: string; readonly addedAt: Instant }[] | null> => {
    if (!isUlid(addonId)) return null;
    const { state } = await load(store, addonStream(addonId), addonDecider);
    if (state.status === 'unregistered') return null;
    return state.secrets.map(({ secretId, addedAt }) => ({ secretId, addedAt }));
  };
