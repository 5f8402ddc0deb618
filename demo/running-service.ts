import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from '../src/config/config.ts';
import { askFacts } from '../src/embedded/control-socket.ts';

export type RunningService = {
  readonly baseUrl: string;
  /** The environment with which a command finds the same servers. */
  readonly env: NodeJS.ProcessEnv;
  /** Stops it and deletes its data, if it was started for the demo. */
  stop(): Promise<void>;
};

/** The service that is running on this DATA_DIR or at BASE_URL; null if there is none. */
export const findService = async (config: Config, env: NodeJS.ProcessEnv): Promise<RunningService | null> => {
  const facts = await askFacts(config.dataDir);
  const isRemote = config.databaseUrl !== null && config.eventStoreUrl !== null;
  const baseUrl = facts?.baseUrl ?? (isRemote ? addressOf(config) : null);
  if (baseUrl === null || !(await isReady(baseUrl))) return null;
  return { baseUrl, env, stop: () => Promise.resolve() };
};

const addressOf = ({ baseUrl, host, port }: Config): string => baseUrl ?? `http://${host}:${port}`;

/** False at once where nobody answers; who answers that it is not ready may be in a moment. */
const isReady = async (baseUrl: string): Promise<boolean> => {
  for (let tried = 0; tried < 30; tried += 1) {
    const signal = AbortSignal.timeout(30_000);
    const answer = await fetch(`${baseUrl}/health/ready`, { signal }).catch(() => null);
    if (answer === null || answer.ok) return answer !== null;
    await delay(1_000);
  }
  return false;
};

const startTimeout = 300_000;

/**
 * Starts a service only for the demo: everything embedded, a free port, a temporary data folder.
 * @throws with the last output of the service if it does not get ready
 */
export const startService = async (env: NodeJS.ProcessEnv): Promise<RunningService> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'grantbook-demo-'));
  await chmod(dataDir, 0o711); // PostgreSQL may need to pass through as another user
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    const service = await startServiceOn(dataDir, env);
    const stop = async () => {
      await service.stop();
      await remove();
    };
    return { ...service, stop };
  } catch (error) {
    await remove();
    throw error;
  }
};

/** The same on an existing data folder that is kept. */
export const startServiceOn = (dataDir: string, env: NodeJS.ProcessEnv): Promise<RunningService> =>
  startInstance({ ...withoutServers(env), DATA_DIR: dataDir });

export type Instance = RunningService & { readonly pid: number; signal(name: NodeJS.Signals): void };

/**
 * A service process with these settings on a free port: one of several instances, on existing servers.
 * @param nodeOptions for Node itself
 */
export const startInstance = async (
  env: NodeJS.ProcessEnv,
  nodeOptions: readonly string[] = [],
): Promise<Instance> => {
  const own = { ...env, PORT: '0', HOST: '127.0.0.1' };
  const child = spawn(process.execPath, [...nodeOptions, ...mainEntry()], {
    env: own,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  try {
    const baseUrl = await readyAddress(child);
    return { baseUrl, env: own, pid: child.pid ?? 0, stop, signal: (name) => void child.kill(name) };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** Removes settings of other servers or another address from the environment of the demo's own service. */
export const withoutServers = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const foreign =
    /^(EVENTSTORE_URL|DATABASE_URL|KAFKA_BROKERS|TOKEN_KEYS|PERSONAL_DATA_KEYS|BASE_URL|ISSUER)(_FILE)?$|^NODE_ENV$/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)));
};

/** Next to this file; when run from the sources it needs a loader. */
const mainEntry = (): readonly string[] => {
  const isSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(new URL(`../src/main.${isSource ? 'ts' : 'js'}`, import.meta.url));
  return isSource ? ['--import', 'tsx', file] : [file];
};

const readyAddress = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    const said: string[] = [];
    const fail = (why: string) => reject(new Error([why, ...said.slice(-15)].join('\n')));
    const timer = setTimeout(() => fail('the service is not ready after five minutes'), startTimeout);
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        said.push(line);
        const address = /\bready\b.*?(https?:\/\/[^\s"',]+)/.exec(line)?.[1];
        if (address !== undefined && stream === child.stdout) {
          clearTimeout(timer);
          resolve(address.replace(/\/$/, ''));
        }
      });
    }
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`the service ended with exit code ${code} before it was ready`);
    });
  });
