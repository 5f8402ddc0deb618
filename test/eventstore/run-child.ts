import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Runs a TypeScript file of `children` in a process of its own. @returns the lines of its output; its errors, if it has none */
export const runChild = async (file: string, ...args: readonly string[]): Promise<string[]> => {
  const program = join(import.meta.dirname, 'children', file);
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, problems] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const lines = out.split('\n').filter((line) => line !== '');
  return lines.length === 0 && problems !== '' ? [problems] : lines;
};
