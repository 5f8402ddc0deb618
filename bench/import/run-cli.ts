import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { packageRoot } from '../../src/process/package-root.ts';

export type Imported = {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly visible: boolean;
  /** From the start until everything was stored. */
  readonly seconds: number;
  /** From then on, until the lists showed it. */
  readonly visible_after_seconds: number;
};

/**
 * Imports a file like an operator: with the real program, started as in package.json, while the service of `env` runs.
 */
export const importFile = async (
  env: NodeJS.ProcessEnv,
  file: string,
  organizationId: string,
): Promise<Imported> => {
  const args = ['import', 'reservations', file, '--organization', organizationId, '--json'];
  const [, ...program] = scriptOf('grantbook');
  const child = spawn(process.execPath, [...program, ...args], {
    cwd: packageRoot,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, 'close')) as [number | null];
  const [stdout, stderr] = await said;
  if (code !== 0) throw new Error(`the import ended with ${code}: ${stdout.slice(0, 500)} ${stderr}`);
  return JSON.parse(stdout) as Imported;
};

/** The words of a script in package.json. */
export const scriptOf = (name: string): readonly string[] => {
  const { scripts } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  };
  return (scripts[name] ?? '').split(' ');
};
