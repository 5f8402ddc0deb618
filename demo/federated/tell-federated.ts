import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBrowser } from '../browser.ts';
import { tellStory } from '../narrator.ts';
import { startService } from '../running-service.ts';
import { prepare } from '../tell-demo.ts';
import { clientSecret, startPlatformProvider } from './platform-provider.ts';
import { federatedStory, providerId, providerName } from './story.ts';

/**
 * `npm run demo -- --federated`: users of a platform sign in with its identity provider (`oidc-provider`, in this
 * process), at a service that is started for it.
 * @returns whether all steps succeeded
 */
export const tellFederated = async (
  env: NodeJS.ProcessEnv,
  print: (line: string) => void,
): Promise<boolean> => {
  const platform = await startPlatformProvider();
  const folder = await mkdtemp(join(tmpdir(), 'grantbook-federated-'));
  try {
    const file = join(folder, 'providers.json');
    await writeFile(file, JSON.stringify([settingsFor(platform.issuer)]), { mode: 0o600 });
    // The service asks it while it starts, and after a failure not again for five seconds.
    platform.register([platform.issuer], providerId);
    const service = await startService({ ...env, SIGN_IN_PROVIDERS_FILE: file });
    try {
      print(`Grantbook at ${service.baseUrl}, the platform's identity provider at ${platform.issuer}`);
      platform.register([service.baseUrl], providerId);
      const { organizationId } = await prepare(service);
      const { baseUrl } = service;
      return await tellStory(
        federatedStory,
        { baseUrl, organizationId, platform, browser: makeBrowser() },
        print,
      );
    } finally {
      await service.stop();
    }
  } finally {
    await platform.close();
    await rm(folder, { recursive: true });
  }
};

const settingsFor = (issuer: string) => ({
  id: providerId,
  name: providerName,
  issuer,
  client_id: 'grantbook',
  client_secret: clientSecret,
  scopes: ['openid', 'profile', 'email', 'platform'],
  claims: { administrator_of: 'organizations' },
});
