import { mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningService } from '../../demo/running-service.ts';
import { connectFrom } from '../../src/cli/base/connect.ts';
import { endInstance, readyInstance, spawnInstance } from '../support/servers/instance.ts';
import { roomyFolder } from '../support/servers/roomy-folder.ts';
import { runGrantbook, type Ran } from './run-grantbook.ts';

export type LiveService = RunningService & {
  /** Runs a command next to the service (or with another environment), in this process. */
  run(args: readonly string[], stdin?: string, env?: NodeJS.ProcessEnv): Promise<Ran>;
  /** The same with --json; what is on standard output has to be one document. */
  runJson(args: readonly string[], stdin?: string): Promise<Ran['json']>;
};

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
  const run: LiveService['run'] = (args, stdin = '', ofRun = env) => runBeside(ofRun, args, stdin);
  return {
    baseUrl: service.baseUrl,
    env,
    run,
    runJson: async (args, stdin) => (await run([...args, '--json'], stdin)).json,
    stop: async () => {
      await endInstance(service, 'SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

/** Runs a command in this process, on whatever servers the environment leads to. */
export const runBeside = (env: NodeJS.ProcessEnv, args: readonly string[], stdin = ''): Promise<Ran> =>
  runGrantbook(args, { stdin, env, servers: (stderr) => connectFrom({ env, stderr }) });
