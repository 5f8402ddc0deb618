import { connectFrom } from '../../src/cli/connect.ts';
import { startService, type RunningService } from '../../demo/running-service.ts';
import { runGrantbook, type Ran } from './run-grantbook.ts';

export type LiveService = RunningService & {
  /** Runs a command beside the service (or with another environment), in this process. */
  run(args: readonly string[], stdin?: string, env?: NodeJS.ProcessEnv): Promise<Ran>;
  /** The same with --json; what is on standard output has to be one document. */
  runJson(args: readonly string[], stdin?: string): Promise<Ran['json']>;
};

/** The real service, from the sources, in processes of its own, with everything embedded. */
export const startLiveService = async (
  settings: Readonly<Record<string, string>> = {},
): Promise<LiveService> => {
  const service = await startService({ PATH: process.env['PATH'], LOG_LEVEL: 'warn', ...settings });
  const run = (args: readonly string[], stdin = '', env: NodeJS.ProcessEnv = service.env) =>
    runGrantbook(args, { stdin, env, ...connectFrom({ env, stderr: process.stderr }) });
  return { ...service, run, runJson: async (args, stdin) => (await run([...args, '--json'], stdin)).json };
};
