import { mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningService } from '../../demo/running-service.ts';
import { connectFrom } from '../../src/cli/base/connect.ts';
import { run, settingsFor } from '../operations/running.ts';
import { migratedDatabase } from '../support/servers/databases.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startTestNode } from '../support/servers/node.ts';
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
  return {
    ...commandsBeside(env),
    baseUrl: service.baseUrl,
    env,
    stop: async () => {
      await endInstance(service, 'SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

/** The service in this process, on the servers of this run: no process starts. */
export const startServiceHere = async (): Promise<LiveService> => {
  const [node, database, port] = await Promise.all([startTestNode(), migratedDatabase(), freePort()]);
  const dataDir = mkdtempSync(join(tmpdir(), 'grantbook-here-'));
  const stores = { databaseUrl: database.url, eventStoreUrl: node.url };
  const baseUrl = `http://127.0.0.1:${port}`;
  const more = { BASE_URL: baseUrl, DATA_DIR: dataDir };
  const service = await run(stores, more);
  await service.app.listen({ host: '127.0.0.1', port });
  await service.workers.ready;
  const env = { PATH: process.env['PATH'], LOG_LEVEL: 'error', ...settingsFor(stores), ...more };
  return {
    ...commandsBeside(env),
    baseUrl,
    env,
    stop: async () => {
      await service.stop();
      await Promise.all([node.close(), database.drop()]);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

const commandsBeside = (env: NodeJS.ProcessEnv): Pick<LiveService, 'run' | 'runJson'> => {
  const here: LiveService['run'] = (args, stdin = '', ofRun = env) => runBeside(ofRun, args, stdin);
  return { run: here, runJson: async (args, stdin) => (await here([...args, '--json'], stdin)).json };
};

/** Runs a command in this process, on whatever servers the environment leads to. */
export const runBeside = (env: NodeJS.ProcessEnv, args: readonly string[], stdin = ''): Promise<Ran> =>
  runGrantbook(args, { stdin, env, servers: (stderr) => connectFrom({ env, stderr }) });
