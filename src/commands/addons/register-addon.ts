import {
  addonDecider,
  registerAddon,
  usualRegistration,
  type GrantType,
  type IdTokenAlg,
} from '../../domain/addons/addon.ts';
import { registrationProblems } from '../../domain/addons/addon-registration.ts';
import { normaliseName } from '../../domain/kernel/name.ts';
import type { AllowedScope } from '../../domain/access/scope.ts';
import { addonStream } from '../../domain/streams.ts';
import { newClientSecret } from './addon-secrets.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { OutcomeWithProblems } from '../kernel/outcome.ts';
import { s256 } from '../credentials/secrets.ts';
import { startStream } from '../kernel/start-stream.ts';

export type RegisterAddon = {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly configurationUrl: string | null;
  readonly allowedScopes: readonly AllowedScope[];
  readonly confidential: boolean;
  /** Both grant types when absent. */
  readonly grantTypes?: readonly GrantType[];
  readonly postLogoutRedirectUris?: readonly string[];
  /** RS256 when absent. */
  readonly idTokenAlg?: IdTokenAlg;
  readonly audiences?: readonly string[];
};

/**
 * Registers an add-on under a new client id (AD-01). The secret of a confidential one is in this answer and never shown
 * again: the log holds its digest (AD-02). Registering the same data twice makes two add-ons.
 */
export const makeRegisterAddon =
  ({ store, now, newId }: Pick<CommandDependencies, 'store' | 'now' | 'newId'>) =>
  async (
    request: RegisterAddon,
    context?: CommandContext,
  ): Promise<
    OutcomeWithProblems<{ readonly clientId: string; readonly clientSecret: string | null }, 'invalid'>
  > => {
    const asked = { ...usualRegistration, ...request, name: normaliseName(request.name) };
    const problems = registrationProblems(asked);
    if (problems.length > 0) return { ok: false, refusal: 'invalid', problems };
    const { once } = context ?? {};
    const make = once?.newId ?? newId;
    const addonId = make();
    const clientSecret = request.confidential ? newClientSecret(once) : null;
    const secret = clientSecret === null ? null : { secretId: make(), digest: s256(clientSecret) };
    const registration = { ...asked, addonId, secret, now: now() };
    await startStream(
      store,
      addonStream(addonId),
      addonDecider,
      (addon) => registerAddon(addon, registration),
      { context, ...byOperator() },
    );
    return { ok: true, value: { clientId: addonId, clientSecret } };
  };
