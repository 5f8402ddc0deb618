import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../../src/process/package-root.ts';

const manual = readFileSync(join(packageRoot, 'docs/how-to/operations.md'), 'utf8');

/**
 * The commands of a section of docs/how-to/operations.md, verbatim: each fenced block of shell (or SQL) between its heading
 * and the next one of any level.
 */
export const blocksOf = (heading: string, language: 'sh' | 'sql' = 'sh'): readonly string[] => {
  const parts = manual.split(/^#+ (?=.)/m).filter((part) => part.startsWith(`${heading}\n`));
  const [part, ...more] = parts;
  if (part === undefined || more.length > 0) throw new Error(`${parts.length} headings ${heading}`);
  const fenced = new RegExp(`^( *)\`\`\`${language}\\n(.*?)^\\1\`\`\`$`, 'gms');
  return [...part.matchAll(fenced)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
};

export type Played = { readonly exitCode: number | null; readonly output: string };

/** Runs blocks in one folder, which contains their files, with `grantbook` on the path. */
export const makeOperator = async (folder: string, env: Readonly<Record<string, string>>) => {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  const cli = join(packageRoot, 'dist/src/cli/grantbook.js');
  await writeFile(join(bin, 'grantbook'), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`, {
    mode: 0o755,
  });
  return (block: string): Promise<Played> =>
    new Promise((resolve, reject) => {
      const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', block], {
        cwd: folder,
        env: { ...env, PATH: `${bin}:${env['PATH'] ?? ''}` },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.once('error', reject);
      child.once('close', (exitCode) => resolve({ exitCode, output }));
    });
};
