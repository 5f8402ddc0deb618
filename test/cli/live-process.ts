import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endInstance, readyInstance, spawnInstance } from '../support/servers/instance.ts';
import { roomyFolder } from '../support/servers/roomy-folder.ts';
import { commandsBeside, type LiveService, waits } from './live-service.ts';

/**
 * The built service, in processes of its own, with everything embedded.
 * @param before what is done on its data folder before it starts
 * @param ofService more environment of the service; commands do not get it
 */
export const startLiveService = async (
  before: (env: NodeJS.ProcessEnv) => Promise<unknown> = () => Promise.resolve(),
  ofService: Readonly<Record<string, string>> = {},
): Promise<LiveService> => {
  const dataDir = mkdtempSync(join(roomyFolder(), 'grantbook-live-'));
  chmodSync(dataDir, 0o711); // PostgreSQL may have to pass through as another user
  const settings = { LOG_LEVEL: 'error', DATA_DIR: dataDir };
  const env = { PATH: process.env['PATH'], ...settings };
  await before(env);
  const service = await readyInstance(spawnInstance({ ...settings, ...ofService }));
  return {
    ...commandsBeside(env, waits),
    baseUrl: service.baseUrl,
    env,
    stop: async () => {
      await endInstance(service, 'SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
