import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { packageRoot } from '../../src/process/package-root.ts';
import { scriptOf } from '../import/run-cli.ts';
import { cpuOfChildren } from '../cpu.ts';

export type Cost = {
  /** Of the command and of the servers behind it, in seconds. */
  readonly cpu: number;
  /** The command's peak memory, in MB. */
  readonly memory: number;
};

/** Prints the process's resource usage at its end. */
const told =
  'import { writeSync } from "node:fs"; process.on("exit", () => writeSync(3, JSON.stringify(process.resourceUsage())));';

/** Runs one command like an operator, and measures its cost. @throws if it fails */
export const runAudit = async (env: NodeJS.ProcessEnv, args: readonly string[]): Promise<Cost> => {
  const [, ...program] = scriptOf('grantbook');
  const before = cpuOfChildren();
  const child = spawn(
    process.execPath,
    [`--import=data:text/javascript,${encodeURIComponent(told)}`, ...program, ...args, '--json'],
    { cwd: packageRoot, env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
  );
  const said = Promise.all(
    [child.stdout, child.stderr, child.stdio[3]]
      .filter((stream) => stream instanceof Readable)
      .map((stream) => text(stream)),
  );
  const [code] = (await once(child, 'close')) as [number | null];
  const [stdout = '', stderr = '', usage = ''] = await said;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stdout.slice(0, 500)} ${stderr}`);
  const used = JSON.parse(usage) as NodeJS.ResourceUsage;
  const own = (used.userCPUTime + used.systemCPUTime) / 1e6;
  return { cpu: own + cpuOfChildren() - before, memory: used.maxRSS / 1024 };
};
