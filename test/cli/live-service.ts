import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { afterAll } from 'vitest';
import type { RunningService } from '../../demo/running-service.ts';
import { connectFrom, type Waits } from '../../src/cli/base/connect.ts';
import { run, settingsFor } from '../operations/running.ts';
import { patience } from '../support/patience.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startTestServers } from '../support/test-servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { words } from '../support/words.ts';
import { runGrantbook, type Ran } from './run-grantbook.ts';

/** The password of the users that `user` makes. */
export const password = 'long enough, and only for tests';

type Commands = {
  /** Runs a command next to the service (or with another environment), in this process. */
  readonly run: (args: readonly string[], stdin?: string, env?: NodeJS.ProcessEnv) => Promise<Ran>;
  /** The same with --json; what is on standard output has to be one document. */
  readonly runJson: (args: readonly string[], stdin?: string) => Promise<Ran['json']>;
  /** Creates an organization. @returns its id */
  readonly organization: (name: string) => Promise<string>;
  /** Creates a user, whose address is the name at example.com. @returns its id */
  readonly user: (name: string, ...more: readonly string[]) => Promise<string>;
  /** Registers an add-on whose redirect URI is https://addon.example/cb; it can be activated. @returns its id */
  readonly addon: (name: string, ...more: readonly string[]) => Promise<string>;
  /** Creates an administrators' token of a user. */
  readonly token: (userId: string, ...more: readonly string[]) => Promise<string>;
};

export type LiveService = RunningService & Commands;

/** Commands next to a service, and the one in this process, wait as long as a busy machine needs. */
export const waits: Waits = {
  reachMs: patience,
  shownMs: patience,
  timeouts: {
    appendMs: patience,
    outcomeMs: patience,
    readMs: patience,
    unavailableMs: patience,
    resumeMs: patience,
  },
};

/** The service in this process, on the servers of this run: no process starts. It ends after the tests of the file. */
export const startServiceHere = async (): Promise<Omit<LiveService, 'stop'>> => {
  const [{ stores }, port] = await Promise.all([startTestServers(), freePort()]);
  const baseUrl = `http://127.0.0.1:${port}`;
  const more = { BASE_URL: baseUrl, DATA_DIR: temporaryFolder() };
  const service = await run(stores, more, waits);
  afterAll(() => service.stop());
  await service.app.listen({ host: '127.0.0.1', port });
  await service.workers.ready;
  const env = { PATH: process.env['PATH'], LOG_LEVEL: 'error', ...settingsFor(stores), ...more };
  // To open the servers takes longer than a command: what makes something for the test opens them once.
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  const opened = await connectFrom({ env, stderr }, waits).openService();
  afterAll(() => opened.close());
  const openService = () => Promise.resolve({ ...opened, close: () => Promise.resolve() });
  const making = commandsBy((args, stdin = '') => runGrantbook(args, { stdin, env, openService }));
  const { run: fresh, runJson } = commandsBeside(env, waits);
  return { ...making, run: fresh, runJson, baseUrl, env };
};

/** Commands in this process, with this environment. */
export const commandsBeside = (env: NodeJS.ProcessEnv, ofCommands?: Waits): Commands =>
  commandsBy((args, stdin = '', ofRun = env) => runBeside(ofRun, args, stdin, ofCommands));

export const commandsBy = (run: Commands['run']): Commands => {
  const runJson: Commands['runJson'] = async (args, stdin) => (await run([...args, '--json'], stdin)).json;
  const made = async (key: string, args: readonly string[], stdin?: string): Promise<string> => {
    const answer = await runJson(args, stdin);
    const value = answer[key];
    if (typeof value !== 'string') throw new Error(JSON.stringify(answer));
    return value;
  };
  const urls = words('--redirect-uri https://addon.example/cb --configuration-url https://addon.example/');
  return {
    run,
    runJson,
    organization: (name) => made('organization_id', ['organization', 'create', '--name', name]),
    user: (name, ...more) => {
      const person = ['--email', `${name}@example.com`, '--name', name];
      return made('user_id', ['user', 'create', ...person, ...more], `${password}\n`);
    },
    addon: (name, ...more) =>
      made('client_id', ['addon', 'register', '--name', name, '--force', ...urls, ...more]),
    token: (userId, ...more) =>
      made('token', ['user', 'token', 'create', '--user', userId, '--name', randomUUID(), ...more]),
  };
};

/** Runs a command in this process, on whatever servers the environment leads to. */
export const runBeside = (
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  stdin = '',
  ofCommands?: Waits,
): Promise<Ran> =>
  runGrantbook(args, { stdin, env, servers: (stderr) => connectFrom({ env, stderr }, ofCommands) });
