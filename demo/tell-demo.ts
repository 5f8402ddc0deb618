import { mkdir } from 'node:fs/promises';
import { connectFrom } from '../src/cli/base/connect.ts';
import { readConfig } from '../src/config/config.ts';
import { seedDemoData, seedReceiver, type DemoData, type DemoReceiver } from './demo-data.ts';
import { makeBrowser } from './browser.ts';
import { startCallbackServer } from './callback-server.ts';
import { tellStory } from './narrator.ts';
import { findService, startService, type RunningService } from './running-service.ts';
import { story } from './story.ts';

/**
 * Runs an add-on's story against the service that is running here, or one that is started for it.
 * @returns whether all steps succeeded
 * @throws if it cannot begin
 */
export const tellDemo = async (env: NodeJS.ProcessEnv, print: (line: string) => void): Promise<boolean> => {
  const config = readConfig(env);
  if (config.environment === 'production') {
    throw new Error('the demo makes an organization and people of its own; not where NODE_ENV is production');
  }
  const found = await findService(config, env);
  if (found === null)
    print('No service runs here: starting one for the demo, with a data folder of its own.');
  const service = found ?? (await startService(env));
  const callback = await startCallbackServer();
  try {
    print(`Grantbook at ${service.baseUrl}`);
    const { organizationId, email, password, clientId, receiver } = await prepare(service);
    const { baseUrl } = service;
    const { redirectUri } = callback;
    const people = { organizationId, email, password, clientId, receiver };
    return await tellStory(story, { baseUrl, redirectUri, ...people, browser: makeBrowser() }, print);
  } finally {
    await callback.close();
    await service.stop();
  }
};

/** The organization, its administrator and the add-ons: found, or created by the same commands that the CLI runs. */
export const prepare = async ({
  env,
  baseUrl,
}: RunningService): Promise<DemoData & { readonly receiver: DemoReceiver }> => {
  const { dataDir } = readConfig(env);
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const opened = await connectFrom({ env, stderr: process.stderr }).openService('nobody');
  try {
    const needs = { commands: opened.commands, dataDir, baseUrl };
    return { ...(await seedDemoData(needs)), receiver: await seedReceiver(needs) };
  } finally {
    await opened.close();
  }
};
