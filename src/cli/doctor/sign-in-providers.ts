import type { Config } from '../../config.ts';
import { makeProvider } from '../../federation/provider.ts';
import { ok, warning, type Check } from './finding.ts';

/** Asks each provider of SIGN_IN_PROVIDERS_FILE for its discovery document. */
export const signInProviderChecks = ({ signIn }: Pick<Config, 'signIn'>): readonly Check[] =>
  signIn.providers.map((settings) => {
    const check = `sign-in provider ${settings.id}`;
    return {
      check,
      run: async () => {
        const state = await makeProvider(settings, { now: () => Date.now() }).status();
        return [
          state === 'ok'
            ? ok(check, 'answers')
            : warning(
                check,
                `${settings.name}: ${state}`,
                `check that ${settings.issuer}/.well-known/openid-configuration answers from this machine, and its issuer in SIGN_IN_PROVIDERS_FILE`,
              ),
        ];
      },
    };
  });
