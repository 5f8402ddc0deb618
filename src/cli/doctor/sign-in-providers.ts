import { composeEndpointGuard } from '../../compose/signal-push.ts';
import { unknownAuthority } from '../../common/server-away.ts';
import type { Config } from '../../config/config.ts';
import { makeProvider } from '../../federation/provider.ts';
import { ok, warning, type Check } from './finding.ts';

/** Asks each provider of SIGN_IN_PROVIDERS_FILE for its discovery document. */
export const signInProviderChecks = (config: Config): readonly Check[] => {
  const guard = composeEndpointGuard(config, config.baseUrl ?? 'http://localhost');
  const { proxies } = config;
  return config.signIn.providers.map((settings) => {
    const check = `sign-in provider ${settings.id}`;
    return {
      check,
      run: async () => {
        const trouble = await makeProvider(settings, { now: () => Date.now(), guard, proxies }).status();
        if (!trouble) return ok(check, settings.ca === undefined ? 'answers' : 'answers (with ca_file)');
        const { found, detail } = trouble;
        const what = `${settings.name}: ${found}${detail === null ? '' : ` (${detail})`}`;
        return warning(check, what, adviceFor(what, settings.issuer));
      },
    };
  });
};

const adviceFor = (found: string, issuer: string): string => {
  if (unknownAuthority.test(found))
    return 'set ca_file of the provider in SIGN_IN_PROVIDERS_FILE to the certificate of the authority that has signed its certificate';
  return found.includes('id_token_signed_response_alg')
    ? 'set id_token_signed_response_alg of the provider in SIGN_IN_PROVIDERS_FILE to the algorithm that it signs with'
    : `check that ${issuer}/.well-known/openid-configuration answers from this machine, and its issuer in SIGN_IN_PROVIDERS_FILE`;
};
