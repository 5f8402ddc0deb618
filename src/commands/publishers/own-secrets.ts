import type { AddSecretRefusal, RemoveSecretRefusal } from '../../domain/addons/addon-secrets.ts';
import { makeAddAddonSecret, makeRemoveAddonSecret } from '../addons/addon-secrets.ts';
import type { AddonDirectory } from '../addons/find-addon.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { makeOwnAddon, type OwnAddon } from './own-addon.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now' | 'newId'> & {
  readonly addons: AddonDirectory;
};

/** A member adds a secret to an own add-on. The membership is read again before the answer: without it, the secret is removed. */
export const makeAddOwnAddonSecret = (dependencies: Dependencies) => {
  const own = makeOwnAddon(dependencies);
  const add = makeAddAddonSecret(dependencies);
  const remove = makeRemoveAddonSecret(dependencies);
  return async (
    request: OwnAddon,
    context?: CommandContext,
  ): Promise<Outcome<{ readonly secretId: string; readonly clientSecret: string }, AddSecretRefusal>> => {
    const unknown = { ok: false, refusal: 'addon-unknown' } as const;
    if (!(await own(request))) return unknown;
    const added = await add(request.addonId, context);
    if (!added.ok || (await own(request))) return added;
    await remove({ addonId: request.addonId, secretId: added.value.secretId }, context);
    return unknown;
  };
};

/** A member removes a secret of an own add-on, never the last one. */
export const makeRemoveOwnAddonSecret = (dependencies: Dependencies) => {
  const own = makeOwnAddon(dependencies);
  const remove = makeRemoveAddonSecret(dependencies);
  return async (
    { secretId, ...request }: OwnAddon & { readonly secretId: string },
    context?: CommandContext,
  ): Promise<Outcome<null, RemoveSecretRefusal>> =>
    (await own(request))
      ? remove({ addonId: request.addonId, secretId }, context)
      : { ok: false, refusal: 'addon-unknown' };
};
