import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../src/process/package-root.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = async (command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) => {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { exitCode: child.exitCode, stdout, stderr };
};

const passableFolder = (): string => {
  const folder = temporaryFolder(onTestFinished);
  chmodSync(folder, 0o711); // PostgreSQL may have to pass through as another user
  return folder;
};

/** Another Node from the registry; a reason to skip where there is none for this machine, or no registry. */
const fetchNode = async (major: number): Promise<{ readonly node: string } | { readonly why: string }> => {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = passableFolder();
  const options = ['--no-save', '--no-audit', '--no-fund', '--prefix', folder];
  const { exitCode, stderr } = await run('npm', ['install', ...options, `${name}@${major}`]);
  if (exitCode !== 0) return { why: `npm has no ${name}@${major} for us: ${stderr.slice(-300)}` };
  return { node: join(folder, 'node_modules', name, 'bin/node') };
};

test.for([22, 24])(
  'the built service and the demo run on Node %d as they do on this one',
  async (major, { skip }) => {
    const fetched = await fetchNode(major);
    if ('why' in fetched) return skip(fetched.why);
    expect((await run(fetched.node, ['--version'])).stdout).toMatch(new RegExp(`^v${major}\\.`));

    const temporary = passableFolder();
    const env = { PATH: process.env['PATH'], TMPDIR: temporary, DATA_DIR: join(temporary, 'nobody') };
    const ran = await run(fetched.node, [join(packageRoot, 'dist/demo/main.js')], env);
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain('No service runs here');
    expect(ran.stdout).toContain('All steps succeeded.');
    expect(readdirSync(temporary).filter((name) => name.startsWith('grantbook'))).toEqual([]);
  },
);
